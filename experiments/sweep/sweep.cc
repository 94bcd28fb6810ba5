#include "experiments/sweep/sweep.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/list.h"
#include "dialog/data/corpus.h"
#include "dialog/respond/score_json.h"
#include "dialog/respond/settings.h"
#include "dialog/respond/system.h"
#include "dialog/text/format.h"
#include "experiments/responders_json.h"
#include "experiments/sweep/making_json.h"
#include "train/run_directory.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using Run = Subject<Sweep, SweepData>;

// ---- data

SweepPart load_part(const Sweep& sweep, TrainSettings s) {
  SweepPart data;
  s.examples.conditions = s.model.conditions();
  const size_t limit = s.limit.value_or(0);
  data.train = load_train_data(sweep.data, s.vocabulary_options(), s.examples, limit);
  if (sweep.tests.empty()) return data;
  s.examples.conditions = data.train.conditions;
  TestData test = load_test_data(sweep.data, data.train.vocabulary, s.examples,
                                 sweep.test_limit ? sweep.test_limit : limit);
  data.test = std::move(test.examples);
  data.test_fingerprint = test.fingerprint;
  data.phrases =
      encode_phrases(PhraseText{}, data.train.vocabulary, s.examples.max_utterance_tokens);
  return data;
}

// Points that read the same data share it.
SweepData load_data(const Sweep& sweep, bool /*reads*/) {
  SweepData data;
  std::map<std::string, size_t> known;
  for (const SweepPoint& point : sweep.points) {
    const auto options = as_options(point.settings);
    std::string key = point.settings.lexicon;
    for (const Condition& label : point.settings.model.conditions()) key += " " + label.text();
    for (const std::string& name : options_that<TrainSettings>(&Setting::of_data))
      key += options[name].dump() + " ";
    const auto [place, is_new] = known.emplace(key, data.parts.size());
    if (is_new) data.parts.push_back(load_part(sweep, point.settings));
    data.places.push_back(place->second);
  }
  return data;
}

// The settings that depend on the data. Throws UsageError with the point's name for settings that
// do not fit the data.
void settle(const ExperimentRequest&, const SweepData& data, Sweep& sweep) {
  for (size_t p = 0; p < sweep.points.size(); ++p) {
    SweepPoint& point = sweep.points[p];
    const TrainData& train = data.of(p).train;
    TrainSettings& s = point.settings;
    try {
      take_data(s, train);
      if (!point.batch_given) s.loop.batch_size = batch_size_for(s, train.train.size());
      check_with_data(s, train);
    } catch (const UsageError& e) {
      throw UsageError(sweep.file + ": " + point.grid.name + ": " + e.what());
    }
  }
}

// ---- sweep.json

// All runs of a folder are seeded and measured alike, or their table would compare different
// distractions, or means over different seeds.
Json testing(const Sweep& sweep) {
  std::vector<std::string> names;
  for (const TestSet& set : sweep.tests) names.push_back(set.name);
  return {{"test", joined(names, ",")},
          {"test-seed", std::to_string(sweep.test_seed)},
          {"seed", std::to_string(sweep.first_seed)},
          {"best", sweep.best}};
}

// An option with a single value is in no name, so it may not change; other values of the grid may,
// which adds runs.
Json training(const Sweep& sweep) {
  Json settings = Json::object();
  for (const ShownSetting& s : sweep.fixed) settings[s.name] = s.value;
  for (const GridOption& option : sweep.grid) {
    if (option.values.size() == 1) settings[option.name] = option.values[0];
  }
  settings.update(testing(sweep));
  return settings;
}

// With several vocabularies or bounds, each has its own checksums, and the grid may change: then
// the files say whether it is the same data.
Json about_data(const Sweep& sweep, const SweepData& data) {
  Json json = Json::object();
  std::set<uint32_t> train, test;
  for (const SweepPart& part : data.parts) {
    train.insert(part.train.fingerprint());
    if (!part.test.empty()) test.insert(part.test_fingerprint);
  }
  if (train.size() == 1) {
    json["train_checksum"] = *train.begin();
  } else {
    for (const std::string part : {"train", "valid"})
      json[part + "_file_checksum"] = file_checksum(find_part(sweep.data, part));
  }
  if (test.size() == 1) json["test_checksum"] = *test.begin();
  // A file whose option has several values is in the names of the runs.
  json.update(checksums_of_files(sweep.points.at(0).settings, [&](const Setting& setting) {
    return std::ranges::none_of(sweep.grid, [&](const GridOption& option) {
      return option.name == setting.option && option.values.size() > 1;
    });
  }));
  return json;
}

// ---- runs

bool train_run(const Run& run, const TrainHooks& hooks) {
  TrainSettings settings = run.settings.points[run.run.variant].settings;
  settings.loop.seed = run.run.seed;
  const TrainData& data = run.data.of(run.run.variant).train;
  begin_run(run.directory, settings, data);
  return train(run.directory, settings, data, run.device, hooks);
}

Json about_variant(const Sweep& sweep, const SweepData&, size_t variant) {
  Json settings = Json::object();
  for (const auto& [name, value] : sweep.points[variant].grid.settings) settings[name] = value;
  return {{"settings", settings}, {"best_by", sweep.best}};
}

void measure(const Run& run, const OnMeasuring& progress, Json& json) {
  LoadedModel loaded = load_model(run.directory);
  json["parameters"] = parameter_count(*loaded.model);
  move(*loaded.model, run.device);
  const SweepPart& data = run.data.of(run.run.variant);
  const auto results = evaluate(
      *loaded.model, data.test, run.settings.tests, data.train.pool, data.phrases,
      run.settings.test_seed, kMeasuringBatch,
      [&](const std::string& set, const ScoreProgress& done) {
        progress(set, static_cast<double>(done.examples) / static_cast<double>(data.test.size()));
      });
  json["test_sets"] = Json::object();
  for (const TestSetResult& r : results) json["test_sets"][r.name] = to_json(r.summary);
}

std::vector<VariantName> variants(const Sweep& sweep) {
  std::vector<VariantName> names;
  for (const SweepPoint& point : sweep.points) names.push_back({point.grid.name, "", ""});
  return names;
}

}  // namespace

std::string sweep_key(const std::string& name) {
  if (name == "valid_perplexity") return name;
  return "test_sets." + name + (name == "none" ? ".perplexity" : ".das_ratio");
}

const Making<Sweep, SweepData>& sweep_making() {
  static const Making<Sweep, SweepData> kMaking = {
      .variants = variants,
      .load = load_data,
      .settle = settle,
      .training = training,
      .about_data = about_data,
      .earlier = testing,  // earlier folders do not record it
      .in_short =
          [](const Sweep& sweep, const SweepData&) {
            return counted(sweep.points.size(), "combination") + " of settings";
          },
      .train = train_run,
      .about_variant = about_variant,
      .best_metric = kValidPerplexity,
      .measurements = {{"evaluation.json", measure}},
      .train_metric = kTrainPerplexity,
      .metric_name = "perplexity",
      .kind = [](const Sweep& sweep, const SweepData&,
                 size_t variant) { return sweep.points[variant].grid.name; },
      .max_epochs = [](const Sweep& sweep,
                       size_t v) { return sweep.points[v].settings.loop.max_epochs; }};
  return kMaking;
}

Experiment sweep_experiment() {
  return experiment({.name = "", .kind = "sweep"}, sweep_making(), sweep_showing);
}

}  // namespace heed
