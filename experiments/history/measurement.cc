#include <cmath>

#include "dialog/data/conversations.h"
#include "dialog/data/perturb.h"
#include "dialog/respond/das.h"
#include "dialog/respond/evaluate.h"
#include "dialog/retrieve/metrics.h"
#include "dialog/system.h"
#include "experiments/history/measurement_json.h"
#include "train/number_json.h"

namespace heed::history {
namespace {

using Json = nlohmann::ordered_json;

// For each pair; empty if it is in no list of a ranker.
using Losses = std::vector<std::optional<double>>;
using Contexts = std::vector<std::vector<std::string>>;

// Perturbed is what a responder reads, so that no other text comes into its sight. A ranker's
// contexts are perturbed whole.
Contexts contexts_of(const Data& data, const std::string& set, const ExampleOptions* bounds) {
  const Perturbation how = parse_perturbation(set);
  Contexts contexts;
  for (const retrieve::Pair& pair : data.pairs) {
    Rng rng(kTestSeed, "history." + set, contexts.size());
    std::vector<std::string> context = retrieve::context_turns(data.test, pair);
    if (bounds) cut(context, bounds->max_turns, bounds->max_utterance_tokens);
    contexts.push_back(perturb(std::move(context), how, rng));
  }
  return contexts;
}

// The examples with these contexts, one for each pair.
std::vector<Example> examples_of(const Data& data, const Contexts& contexts,
                                 const LoadedSystem& loaded) {
  std::vector<Dialogue> dialogues;
  for (size_t i = 0; i < contexts.size(); ++i) {
    const Dialogue& whole = data.test[data.pairs[i].dialogue];
    Dialogue& dialogue = dialogues.emplace_back();
    dialogue.id = whole.id;
    for (const std::string& text : contexts[i]) dialogue.turns.push_back({"", text});
    dialogue.turns.push_back(whole.turns[data.pairs[i].response]);
    dialogue.turns.back().speaker = "";
  }
  ExampleOptions bounds = loaded.bounds;
  bounds.all_positions = false;
  bounds.min_turns = 2;
  bounds.speaker = "";
  return make_examples(dialogues, *loaded.vocabulary, bounds);
}

// -ln p of each response, summed over its tokens.
Losses response_losses(Responder& model, const std::vector<Example>& examples) {
  Losses losses;
  for (const DialogueScore& s : score(model, examples, kMeasuringBatch)) {
    double sum = 0;
    for (const double nll : s.nll) sum += nll;
    losses.emplace_back(sum);
  }
  return losses;
}

// A number of the rank of the right response in a list of 100.
using RankNumber = double (*)(const retrieve::Ranks&);
Losses rank_numbers(const Ranker& ranker, const Data& data, const Contexts& contexts,
                    const retrieve::Lists& lists, RankNumber number) {
  std::map<std::pair<size_t, size_t>, size_t> places;
  for (size_t i = 0; i < data.pairs.size(); ++i) {
    places[{data.pairs[i].dialogue, data.pairs[i].response}] = i;
  }
  std::vector<RankQuery> queries;
  std::vector<size_t> of;
  for (size_t i = 0; i < lists.size(); ++i) {
    of.push_back(places.at({lists.pair(i).dialogue, lists.pair(i).response}));
    queries.push_back({contexts[of.back()], lists.candidates(i)});
  }
  const auto scores = ranker.score(lists.texts(), queries, /*batch=*/64).of_queries;
  Losses numbers(data.pairs.size());
  for (size_t i = 0; i < scores.size(); ++i) {
    numbers[of[i]] = number(retrieve::Ranks({.scores = scores[i], .right = {0}}));
  }
  return numbers;
}

// The mean is 1 - MRR. (The softmax of the scores would measure a ranker's confidence on lists, for
// which it was not trained.)
double rank_loss(const retrieve::Ranks& ranks) {
  return 1 - ranks.reciprocal();
}

Json series(const Losses& losses) {
  Json json = Json::array();
  for (const auto& loss : losses) json.push_back(rounded(loss));
  return json;
}

Losses less(const Losses& a, const Losses& b) {
  Losses result = a;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i]) result[i] = *a[i] - *b[i];
  }
  return result;
}

double sum_of(const Losses& losses) {
  double sum = 0;
  for (const auto& loss : losses) sum += loss.value_or(0);
  return sum;
}

Pool pool_of(const Data& data, const LoadedSystem& loaded) {
  return make_pool(data.pool, *loaded.vocabulary, loaded.bounds.max_utterance_tokens);
}

// The DAS ratio of random:1.0 of a model with attention.
void add_das(Responder& model, const std::vector<Example>& examples, const Pool& pool, Json& json) {
  const auto scores =
      score(model, distracted(examples, parse_test_set("random:1.0"), pool, {}, kTestSeed),
            kMeasuringBatch);
  const ScoreSummary summary = summarize(scores);
  json["das_ratio"] = or_null(summary.das_ratio);
  put_attention(json, scores);
}

std::vector<std::string> sets() {
  std::vector<std::string> all = cuts();
  for (const auto* more : {&shuffled_cuts(), &perturbations()}) {
    all.insert(all.end(), more->begin(), more->end());
  }
  return all;
}

// What a run measures: a model that responds, or one that ranks.
struct System {
  LoadedSystem loaded;
  Responder* model = nullptr;            // none for a ranker
  std::optional<retrieve::Lists> lists;  // for a ranker

  explicit System(const Run& run) : loaded(load_system(run.directory)) {
    const Data& data = run.data;
    move(*loaded.module, run.device);
    model = dynamic_cast<Responder*>(loaded.module.get());
    if (!model && !loaded.ranker) {
      throw UsageError(run.settings.systems[run.run.variant] + ": neither responds nor ranks");
    }
    if (!model) lists.emplace(data.test_path, data.test, data.pairs, retrieve::ListKind{});
  }
  Contexts contexts(const Data& data, const std::string& set) const {
    return contexts_of(data, set, model ? &loaded.bounds : nullptr);
  }
};

}  // namespace

void measure_run(const Run& run, const OnMeasuring& progress, Json& json) {
  const Data& data = run.data;
  const System system(run);
  const LoadedSystem& loaded = system.loaded;
  Responder* model = system.model;
  const auto losses_of = [&](const std::string& set) {
    const Contexts contexts = system.contexts(data, set);
    return model ? response_losses(*model, examples_of(data, contexts, loaded))
                 : rank_numbers(*loaded.ranker, data, contexts, *system.lists, rank_loss);
  };
  json["conversations"] = data.conversations;
  const Losses whole = losses_of("whole");
  const std::vector<Example> examples =
      model ? examples_of(data, system.contexts(data, "whole"), loaded) : std::vector<Example>();
  double count = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    json["counts"].push_back(model ? examples[i].response.size() + 1 : 1);  // <eos>
    if (whole[i]) count += json["counts"].back().get<double>();
  }
  json["losses"] = series(whole);
  const double mean = sum_of(whole) / count;
  json["perplexity"] = model ? Json(std::exp(mean)) : Json();
  json["mrr"] = model ? Json() : Json(1 - mean);
  json["das_ratio"] = Json();
  json["as_distractions"] = json["as_histories"] = Json::array();
  if (model) add_das(*model, examples, pool_of(data, loaded), json);
  std::map<std::string, Losses> all;
  double done = 0;
  for (const std::string& set : sets()) {
    progress(set, done++ / static_cast<double>(sets().size()));
    all[set] = less(losses_of(set), whole);
    json["sets"][set] = {{"rise", sum_of(all[set]) / count}, {"rises", series(all[set])}};
  }
  for (const Contrast& c : kContrasts) {
    const Losses difference = less(all.at(c.first), all.at(c.second));
    json["contrasts"][c.name] = {{"rise", sum_of(difference) / count},
                                 {"rises", series(difference)}};
  }
}

void measure_turns(const Run& run, const OnMeasuring& progress, Json& json) {
  const Data& data = run.data;
  const System system(run);
  std::optional<Pool> pool;
  if (system.model) pool = pool_of(data, system.loaded);
  std::vector<std::string> sets = cuts();
  if (!pool) sets.insert(sets.end(), shuffled_cuts().begin(), shuffled_cuts().end());
  for (size_t i = 0; i < sets.size(); ++i) {
    progress(sets[i], static_cast<double>(i) / static_cast<double>(sets.size()));
    const Contexts contexts = system.contexts(data, sets[i]);
    if (!pool) {
      const auto is_first = [](const retrieve::Ranks& ranks) { return ranks.recall(1); };
      put_mean(
          json, "recall." + sets[i],
          series(rank_numbers(*system.loaded.ranker, data, contexts, *system.lists, is_first)));
    } else if (i > 0) {  // of one turn there is no history beside the distractions
      add_das(*system.model, examples_of(data, contexts, system.loaded), *pool,
              json["das"][sets[i]]);
    }
  }
}

}  // namespace heed::history
