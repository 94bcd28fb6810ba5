#include "experiments/sweep/sweep.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
#include "dialog/respond/score_json.h"
#include "experiments/engine/runs/evaluation_json.h"
#include "experiments/engine/runs/folder_json.h"
#include "train/run_json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kBatch = 32;  // changes no result

TrainSettings settings_of(const Sweep& sweep, const PlannedRun& run) {
  TrainSettings settings = sweep.points[run.variant].settings;
  settings.loop.seed = run.seed;
  return settings;
}

Json describe(const Sweep& sweep) {
  Json settings = Json::object();
  for (const ShownSetting& s : sweep.fixed) settings[s.name] = s.value;
  for (const GridOption& option : sweep.grid) {
    // An option with one value is in no name, so it may not change.
    if (option.values.size() == 1) settings[option.name] = option.values[0];
  }
  settings["device"] = sweep.made_with.device;
  settings["matmul"] = sweep.made_with.matmul;
  return {{"format", kSweepFormat},
          {"heed", program_json(sweep.made_with)},
          {"settings", settings},
          {"data", Json::object()}};
}

void measure(const std::string& directory, const Sweep& sweep, const PlannedRun& run, Device device,
             const OnMeasuring& progress) {
  LoadedModel loaded = load_model(directory);
  Json settings = Json::object();
  for (const auto& [name, value] : sweep.points[run.variant].grid.settings) settings[name] = value;
  Json json =
      evaluation_head(directory, run, {{"settings", settings}}, kValidPerplexity, sweep.made_with);
  json["parameters"] = parameter_count(*loaded.model);
  move(*loaded.model, device);
  const SweepData& data = *sweep.points[run.variant].data;
  const auto results = evaluate(
      *loaded.model, data.test, sweep.tests, data.train.pool, data.phrases, sweep.test_seed, kBatch,
      [&](const std::string& set, const ScoreProgress& done) {
        progress(set, static_cast<double>(done.examples) / static_cast<double>(data.test.size()));
      });
  json["test_sets"] = Json::object();
  for (const TestSetResult& r : results) json["test_sets"][r.name] = to_json(r.summary);
  progress("all", 1);  // the last moment to give up
  write_file(in(directory, "evaluation.json"), json.dump(1) + "\n");
}

}  // namespace

std::string sweep_key(const std::string& name) {
  if (name == "valid_perplexity") return name;
  return "test_sets." + name + (name == "none" ? ".perplexity" : ".das_ratio");
}

SweepData load_sweep_data(const std::string& directory, const TrainSettings& s, bool tests,
                          size_t test_limit) {
  SweepData data;
  const size_t limit = s.limit.value_or(0);
  data.train = load_train_data(directory, s.vocabulary_options(), s.examples, limit);
  if (!tests) return data;
  const std::string path = find_part(directory, "test");
  const auto dialogues = read_dialogues(path, test_limit ? test_limit : limit);
  data.test_fingerprint = fingerprint(dialogues);
  data.test = make_examples(dialogues, data.train.vocabulary, s.examples);
  if (data.test.empty()) throw DataError(path + ": no dialogue with two utterances of context");
  data.phrases =
      encode_phrases(PhraseText{}, data.train.vocabulary, s.examples.max_utterance_tokens);
  return data;
}

void open_sweep(const std::string& out, const Sweep& sweep) {
  Json json = describe(sweep);
  std::set<uint32_t> train, test;
  for (const SweepPoint& point : sweep.points) {
    train.insert(point.data->train.fingerprint());
    if (!point.data->test.empty()) test.insert(point.data->test_fingerprint);
  }
  // Of several vocabularies or bounds each has its own, and the grid may change.
  if (train.size() == 1) json["data"]["train_checksum"] = *train.begin();
  if (test.size() == 1) json["data"]["test_checksum"] = *test.begin();
  open_folder(out, "sweep", json);
}

std::vector<VariantName> variants_of(const Sweep& sweep) {
  std::vector<VariantName> names;
  for (const SweepPoint& point : sweep.points) names.push_back({point.grid.name, "", ""});
  return names;
}

Plan sweep_plan(const std::string& out, const std::vector<PlannedRun>& runs, const Sweep& sweep) {
  Plan plan{.out = out, .runs = runs};
  plan.train = [&](const PlannedRun& run, const std::string& directory, Device device,
                   const TrainHooks& hooks) {
    const TrainSettings settings = settings_of(sweep, run);
    const TrainData& data = sweep.points[run.variant].data->train;
    begin_run(directory, settings, data);
    return train(directory, settings, data, device, hooks);
  };
  plan.measure = [&](const PlannedRun& run, const std::string& directory, Device device,
                     const OnMeasuring& progress) {
    measure(directory, sweep, run, device, progress);
  };
  plan.train_metric = kTrainPerplexity;
  plan.valid_metric = kValidPerplexity;
  plan.metric_name = "perplexity";
  plan.kind = [&](const PlannedRun& run) { return sweep.points[run.variant].grid.name; };
  plan.max_epochs = [&](const PlannedRun& run) {
    return sweep.points[run.variant].settings.loop.max_epochs;
  };
  return plan;
}

}  // namespace heed
