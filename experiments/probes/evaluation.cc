#include "experiments/probes/evaluation.h"

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "experiments/engine/evaluation_json.h"
#include "experiments/engine/folder_json.h"
#include "experiments/probes/additions.h"
#include "experiments/probes/measurement_json.h"
#include "train/run_json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

TrainSettings run_settings(const ProbesSettings& settings, const ProbesData& data,
                           const PlannedRun& run) {
  TrainSettings s = settings.train.at(run.variant);
  s.model.vocab_size = data.train.vocabulary.size();
  s.loop.seed = run.seed;
  s.data_fingerprint = data.train.fingerprint();
  s.check();
  return s;
}

// The epochs whose models there are, with what load_epoch() calls them.
std::map<int, std::string> epochs_of(const std::string& directory, int best, int last) {
  std::map<int, std::string> epochs = {{0, "untrained"}};
  for (int epoch = 1; epoch < last; ++epoch) {
    const std::string name = std::to_string(epoch);
    if (std::filesystem::exists(in(directory, ("epoch-" + name + ".safetensors").c_str()))) {
      epochs[epoch] = name;
    }
  }
  epochs[last] = "last";
  epochs[best] = "best";
  return epochs;
}

// F1 by epoch, from the checkpoints of the epochs.
Json curves(const std::map<int, Json>& epochs, const ProbesSettings& settings,
            const ProbesData& data, int last) {
  Json json = Json::object();
  for (const ProbeReading& reading : settings.readings) {
    for (const std::string& task : data.tasks) {
      for (int epoch = 0; epoch <= last; ++epoch) {
        const auto found = epochs.find(epoch);
        json[reading.name][task].push_back(
            found == epochs.end() ? Json() : found->second[reading.name][task]["f1"]);
      }
    }
  }
  return json;
}

// Bags of words and lengths of contexts are the same for all runs of a seed and a width: the first
// run measures them, the others read its file.
Json baselines(const std::string& directory, const Measurement& measurement, uint64_t seed,
               int64_t width) {
  const std::string name =
      "baselines-seed" + std::to_string(seed) + "-width" + std::to_string(width) + ".json";
  const std::string file =
      (std::filesystem::path(directory).parent_path() / name).lexically_normal().string();
  if (!std::filesystem::exists(file)) {
    Json json;
    json["baselines"] = measurement.baselines(width, json["constant"]);
    create_once(file, json.dump() + "\n");
  }
  return parse_json<Json>(file);
}

bool is_evaluated(const std::string& directory) {
  return std::filesystem::exists(in(directory, "evaluation.json"));
}

}  // namespace

std::string score_key(const std::string& checkpoint, const std::string& reading,
                      const std::string& task, const std::string& number) {
  return "checkpoints." + checkpoint + "." + reading + "." + task + "." + number;
}

std::string baseline_key(const std::string& baseline, const std::string& reading,
                         const std::string& task) {
  if (baseline == "constant") return "constant." + task;
  return "baselines." + baseline + "." + reading + "." + task;
}

std::string curve_key(const std::string& reading, const std::string& task) {
  return "by_epoch." + reading + "." + task;
}

void measure_probes(const std::string& directory, const PlannedRun& run,
                    const ProbesSettings& settings, const ProbesData& data, Device device,
                    const OnMeasuring& progress) {
  Json json = evaluation_head(directory, run, {{"structure", probed_names()[run.variant].name}},
                              kValidPerplexity, settings.made_with);
  const int best = json["best_epoch"], last = json["epochs"];
  const Measurement measurement(settings, data, run.seed, progress);
  std::map<int, Json> epochs;
  for (const auto& [epoch, name] : epochs_of(directory, best, last)) {
    LoadedModel loaded = load_epoch(directory, name);
    json["parameters"] = parameter_count(*loaded.model);
    move(*loaded.model, device);
    epochs[epoch] =
        measurement.checkpoint(*loaded.model, name, epoch == best ? &json["selectivity"] : nullptr);
    epochs[epoch]["epoch"] = epoch;
    if (epoch != best) continue;
    json["responses"] = measurement.responses(*loaded.model, loaded.vocabulary);
    json.update(baselines(directory, measurement, run.seed, loaded.model->config().hidden_size));
  }
  json["dialogues"] = data.dialogues;
  json["checkpoints"] = {{"untrained", without_items(epochs.at(0))},
                         {"last", without_items(epochs.at(last))},
                         {"best", epochs.at(best)}};
  json["by_epoch"] = curves(epochs, settings, data, last);
  progress("all", 1);  // the last moment to give up
  write_file(in(directory, "evaluation.json"), json.dump() + "\n");
}

Plan probes_plan(const std::string& out, const std::vector<PlannedRun>& runs,
                 const ProbesSettings& settings, const ProbesData& data) {
  Plan plan{.out = out, .runs = runs};
  plan.train = [&](const PlannedRun& run, const std::string& directory, Device device,
                   const TrainHooks& hooks) {
    Ranks& ranks = *hooks.ranks;
    if (ranks.any(ranks.first() && is_evaluated(directory)) != 0) return true;
    const TrainSettings its = run_settings(settings, data, run);
    begin_on_first(ranks, [&] { begin_run(directory, its, data.train); });
    return train(directory, its, data.train, device, hooks);
  };
  plan.measure = [&](const PlannedRun& run, const std::string& directory, Device device,
                     const OnMeasuring& progress) {
    if (!is_evaluated(directory)) measure_probes(directory, run, settings, data, device, progress);
    measure_additions(directory, run, settings, data, device, progress);
  };
  plan.additions = addition_files(settings);
  plan.train_metric = kTrainPerplexity;
  plan.valid_metric = kValidPerplexity;
  plan.metric_name = "perplexity";
  plan.kind = [](const PlannedRun& run) { return probed_names()[run.variant].name; };
  plan.max_epochs = [&](const PlannedRun& run) {
    return settings.train[run.variant].loop.max_epochs;
  };
  return plan;
}

}  // namespace heed
