#include <algorithm>

#include "dialog/respond/presets.h"
#include "dialog/respond/system.h"
#include "experiments/engine/report/variant_tables.h"
#include "experiments/frozen_encoder_json.h"
#include "experiments/generators/evaluation_json.h"
#include "experiments/responders_json.h"

namespace heed::generators {
namespace {

TrainSettings settings_of(const Settings& s, size_t variant) {
  const Variant& v = s.paper->variants[variant];
  TrainSettings t = suited_to(Structure::parse(v.structure), find_preset("smoke"));
  t.model.embedding_size = t.model.hidden_size = s.hidden;
  t.model.vocab_size = s.vocabulary;
  t.examples.all_positions = s.examples == "all";
  t.attention_weight = 0;
  t.loop.max_epochs = s.epochs;
  t.loop.pieces = s.pieces;
  t.limit = s.limit;
  if (t.model.structure.has("lexicon")) t.lexicon = s.lexicon;
  s.paper->prepare(t);
  // The preset halves the rate after each epoch, and its bound would end before --epochs.
  t.loop.schedule.min_rate = t.loop.schedule.rate / 1000;
  v.edit(t);
  return t;
}

void take(const ExperimentRequest&, Settings& s) {
  if (s.paper->has_labels && s.lexicon.empty()) {
    throw UsageError("--lexicon FILE is required: it names the sentiment words");
  }
  if (!s.dull.empty() && s.distance.empty()) {
    throw UsageError("--dull: only applies with --distance");
  }
  if (!s.distance.empty()) require(s.distance, Capability::kEncode);
}

// Before hours of training: the models will be asked for each of the three.
void check_sentiments(const Settings& s, const std::vector<Condition>& of_data) {
  for (const std::string name : kSentiments) {
    const Condition& sentiment = of_data.at(0);
    if (std::ranges::count(sentiment.values, name) > 0) continue;
    throw DataError(s.data + ": no turn of the training dialogues has the label " +
                    sentiment.label + "=" + name + ", for which the models are asked");
  }
}

Data load_data(const Settings& s, bool reads) {
  if (!reads) return {};
  TrainSettings t = settings_of(s, 0);
  t.examples.conditions = t.model.conditions();
  Data data = load_response_data(s.data, t, s.limit, s.test_limit);
  if (s.paper->has_labels) check_sentiments(s, data.train.conditions);
  return data;
}

void visit(Settings& s, const OptionVisitor& v) {
  show(v, "Models",
       {epochs_option(s.epochs),
        {"hidden", "Hidden size, also of embeddings", &s.hidden, 1, 4096},
        vocab_option(s.vocabulary)});
  v(setting("examples", "examples",
            "last: a dialogue's last turn is the response; all: every turn that can be one",
            {.group = "Models", .words = {"last", "all"}}),
    &s.examples);
  show(v, "Models",
       {limit_option(s.limit, "Read only the first N dialogues (of train and valid); 0: all"),
        test_limit_option(s.test_limit,
                          "Read only the first N dialogues of the test part; 0: all")});
  if (s.paper->has_noise) {
    show(v, "Models",
         {{"best-of", "Take the best of this many answers, each with noise", &s.best_of, 1, 1e4}});
  }
  if (s.paper->has_distances) {
    v(setting("distance", "distance",
              "Also measure the distance of a response from the last utterance and from the one "
              "before (SS), by vectors of this model, preferably one that heed import made",
              {.group = "Models", .takes = "DIR"}),
      &s.distance);
    v(setting("dull", "dull", "Dull responses, one a line, which count as far from everything",
              {.group = "Models", .takes = "FILE"}),
      &s.dull);
  }
  if (s.paper->has_labels) {
    v(setting("lexicon", "lexicon", "Words and their sentiment, in the format of VADER",
              {.group = "Models"}),
      &s.lexicon);
  }
}

}  // namespace

bool train_run(const Run& run, const TrainHooks& hooks) {
  const Variant& v = run.settings.paper->variants[run.run.variant];
  const TrainData& data = run.data.train;
  TrainSettings t = settings_of(run.settings, run.run.variant);
  take_data(t, data);
  t.loop.batch_size = batch_size_for(t, data.train.size());
  t.loop.seed = run.run.seed;
  begin_on_first(*hooks.ranks, [&] {
    if (v.players) words::save_settings(run.directory, *v.players);
    begin_run(run.directory, t, data);
  });
  if (v.players) return words::train(run.directory, t, *v.players, data, run.device, hooks);
  return train(run.directory, t, data, run.device, hooks);
}

namespace {

constexpr auto kMakingOfResponders = responders_making<Settings, Data, settings_of>;

Making<Settings, Data> making(const Paper& paper) {
  auto making = kMakingOfResponders();
  making.initial = {.paper = &paper};
  making.visit = visit;
  making.take = take;
  making.names = variant_names(paper.variants);
  making.load = load_data;
  making.about_data = [](const Settings& s, const Data& data) {
    auto json = kMakingOfResponders().about_data(s, data);
    if (!s.lexicon.empty()) json["lexicon"] = file_checksum(s.lexicon);
    if (!s.distance.empty()) json["distance"] = checksum_of(s.distance);
    if (!s.dull.empty()) json["dull"] = file_checksum(s.dull);
    return json;
  };
  making.train = train_run;
  making.earlier = [](const Settings&) {
    return nlohmann::ordered_json{{"distance", ""}, {"dull", ""}};
  };
  making.measurements = {
      {"evaluation.json", evaluate},
      {"distances.json", measure_distances,
       [](const Settings& s) { return s.paper->has_distances; }},
      {"told.json", measure_told, [](const Settings& s) { return s.paper->has_labels; }},
      {"mmi.json", measure_mmi, [](const Settings& s) { return s.paper->has_mmi; }}};
  making.kind = [](const Settings& s, const Data&, size_t v) {
    return std::string(s.paper->variants[v].structure);
  };
  return making;
}

// ---- the report

MeasuredRuns measured() {
  MeasuredRuns m{.clusters = "conversations",
                 .values = measured_values(),
                 .same = {"tokens"},
                 .measures = means_of(measured_items())};
  m.measures.push_back(
      {.key = "perplexity", .top = "nll", .bottom = "tokens", .exponential = true});
  for (const std::string& name : added_items()) {
    m.measures.push_back(mean_of(name));
    m.measures.back().some = true;
  }
  return m;
}

}  // namespace

Showing<> showing(const Paper& paper) {
  Showing<> s = described(paper.report, variant_names(paper.variants), measured());
  s.lead = paper.more;
  return s;
}

Experiment experiment_of(const Paper& paper) {
  return experiment({.name = paper.name,
                     .what = paper.what,
                     .more = paper.more,
                     .example = "--data data/ubuntu-sample",
                     .only = paper.only},
                    making(paper), [&paper] { return showing(paper); });
}

}  // namespace heed::generators
