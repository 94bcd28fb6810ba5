#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "dialog/data/conversations.h"
#include "dialog/data/perturb.h"
#include "dialog/respond/das.h"
#include "dialog/respond/evaluate.h"
#include "dialog/respond/settings.h"
#include "dialog/respond/task.h"
#include "dialog/retrieve/candidates.h"
#include "dialog/retrieve/metrics.h"
#include "dialog/system.h"
#include "dialog/text/format.h"
#include "experiments/history/history.h"
#include "experiments/responders_json.h"
#include "train/number_json.h"

namespace heed::history {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct Settings {
  std::string data;
  std::vector<std::string> systems = {"non-hier", "static-ui", "dynamic", "hred", "transformer"};
  std::map<std::string, TrainSettings> train;  // of each system that is trained
  TrainSettings any;                           // of all of them
  size_t limit = 0, test_limit = 0;  // dialogues of each part and of the test part; 0: all
};

struct Data {
  TrainData train;                   // only if a system is trained
  std::vector<Dialogue> pool, test;  // training dialogues from which distractions are drawn
  std::string test_path;
  std::vector<retrieve::Pair> pairs;  // responses of the test part, with their contexts
  std::vector<int> conversations;     // of each
  uint32_t train_checksum = 0;

  void share(const Neighbours& neighbours) { train.share(neighbours); }
};

using Run = Subject<Settings, Data>;

bool is_model(const std::string& system) {
  return system.find('/') != system.npos;
}

// ---- training

// Whether an experiment wrote a file of a run, to say who worked on it and what was measured: in
// another folder that says nothing.
bool is_of_experiment(const std::string& file) {
  static const std::set<std::string> kFiles = {"lock", "failed.json", "times.json",
                                               "evaluation.json", "turns.json"};
  return kFiles.contains(file) || file.starts_with("owner-");
}

// An existing model is copied, so that the folder holds everything that was measured.
bool train_run(const Run& run, const TrainHooks& hooks) {
  const std::string& system = run.settings.systems[run.run.variant];
  if (is_model(system)) {
    begin_on_first(*hooks.ranks, [&] {
      for (const fs::directory_entry& file : fs::directory_iterator(system)) {
        const fs::path name = file.path().filename();
        if (is_of_experiment(name.string())) continue;
        fs::copy(file, fs::path(run.directory) / name,
                 fs::copy_options::recursive | fs::copy_options::overwrite_existing);
      }
    });
    return true;
  }
  return train_responder(run.run, run.directory, run.device, run.settings.train.at(system),
                         run.data.train, hooks);
}

// ---- measuring

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

// turns.json: of the last N turns the share of lists in which a ranker puts the right response
// first, "recall", and of N >= 2 a model's DAS ratio of random:1.0, "das".
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

// ---- the description

void visit(Settings& s, const OptionVisitor& v) {
  v(setting("systems", "systems",
            "Structures to train, and directories of existing models (with a / in them) that "
            "respond or rank",
            {.group = "Systems"}),
    &s.systems);
  v(setting("limit", "limit", ""), &s.limit);
  show(v, "Tests", {test_limit_option(s.test_limit)});
}

void take(const ExperimentRequest& request, Settings& s) {
  s.data = request.data;
  s.any = request.responder({});
  s.limit = s.any.limit.value_or(0);
  for (const std::string& system : s.systems) {
    if (!is_model(system)) {
      s.train[system] = request.responder(Structure::parse(system));
    } else {
      require(system, Capability::kRank);  // models that respond rank, too
    }
  }
  if (!s.train.empty()) return;
  const Json options = as_options(s.any);
  for (const auto& [option, value] : options.items()) {
    if (option == "limit" || option == "seed") continue;  // the former is of the measuring, too
    request.refuse_given("--" + option, "with a structure in --systems");
  }
}

void settle(const ExperimentRequest& request, const Data& data, Settings& s) {
  if (!s.train.empty()) refuse_loss_without_distractions(request, s.any, data.train);
}

Data load_data(const Settings& s, bool reads) {
  Data data;
  if (!reads) return data;
  if (!s.train.empty()) {
    ExampleOptions bounds = s.any.examples;
    for (const auto& [name, train] : s.train) {  // of the systems that read labels
      if (bounds.conditions.empty()) bounds.conditions = train.model.conditions();
    }
    data.train = load_train_data(s.data, s.any.vocabulary_options(), bounds, s.limit);
  }
  data.pool = read_dialogues(find_part(s.data, "train"), s.limit);
  data.train_checksum = fingerprint(data.pool);
  data.test_path = find_part(s.data, "test");
  data.test = read_dialogues(data.test_path, s.test_limit ? s.test_limit : s.limit);
  data.pairs = retrieve::make_pairs(data.test, {.all_positions = true}, true);
  if (data.pairs.empty()) throw DataError(data.test_path + ": " + no_example({}));
  std::vector<size_t> places;
  for (const retrieve::Pair& pair : data.pairs) places.push_back(pair.dialogue);
  data.conversations = conversations(data.test, places);
  return data;
}

// A model that exists is taken as it is.
void check(const Settings& s, const Data& data, size_t variant) {
  const auto trained = s.train.find(s.systems[variant]);
  if (trained != s.train.end()) check_responder(trained->second, data.train);
}

const Making<Settings, Data> kMaking = {
    .visit = visit,
    .take = take,
    .variants = [](const Settings& s) { return variants_of(s.systems); },
    .load = load_data,
    .settle = settle,
    .training =
        [](const Settings& s) {
          Json json = training_options(s.any);
          json.erase("preset");
          return json;
        },
    .about_data = [](const Settings& s, const Data& data) -> Json {
      Json json = {{"train_checksum", data.train_checksum},
                   {"test_checksum", fingerprint(data.test)},
                   {"test_responses", data.pairs.size()}};
      json.update(checksums_of_files(s.any));
      return json;
    },
    .earlier = [](const Settings&) -> Json { return options_before(TrainSettings()); },
    .more = {{"test_seed", kTestSeed}},
    .in_short =
        [](const Settings&, const Data& data) {
          return counted(data.pairs.size(), "test response") + " of " +
                 counted(data.test.size(), "dialogue");
        },
    .check = check,
    .train = train_run,
    .about_variant = [](const Settings& s, const Data&, size_t v) -> Json {
      return {{"system", s.systems[v]}};
    },
    .best_metric = kValidPerplexity,
    .measurements = {{"evaluation.json", measure_run}, {"turns.json", measure_turns}},
    .train_metric = kTrainPerplexity,
    .valid_metric = kValidPerplexity,
    .metric_name = "perplexity",
    .kind = [](const Settings& s, const Data&, size_t v) { return s.systems[v]; },
    .max_epochs = [](const Settings& s, size_t) { return s.any.loop.max_epochs; }};

}  // namespace

std::vector<VariantName> variants_of(const std::vector<std::string>& systems) {
  std::vector<VariantName> variants;
  std::set<std::string> names;
  for (const std::string& system : systems) {
    const fs::path path(system);
    const std::string name = (path.has_filename() ? path : path.parent_path()).filename().string();
    if (name.empty() || !names.insert(name).second) {
      throw UsageError("--systems: needs different names, got '" + system + "'");
    }
    const bool is_here = !is_model(system);
    variants.push_back({name, is_here ? "here" : "as it is", name, true, /*of_seeds=*/is_here});
  }
  return variants;
}

Experiment history_experiment() {
  return experiment(
      {.name = "history",
       .what = "Measure how much, and which parts of, the history of a conversation help systems",
       .more = "Contexts are cut to their last turns, reordered, or lose turns or words, and the "
               "rise of the models' loss is measured (docs/results/history.md).",
       .example = "--data data/ubuntu-sample --systems data/models/baseline data/models/ranker",
       .only = "\"static-*\"",
       .trains = Trains::kResponders,
       .preset = "smoke"},
      kMaking, showing);
}

}  // namespace heed::history
