#include "experiments/probes/evaluation.h"

#include <map>

#include "dialog/system.h"
#include "experiments/probes/measurement_json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

// The epochs whose models exist, with the names that load_epoch() takes.
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
Json baselines(const std::string& directory, const Probing& probing, uint64_t seed, int64_t width) {
  const std::string name =
      "baselines-seed" + std::to_string(seed) + "-width" + std::to_string(width) + ".json";
  const std::string file =
      (std::filesystem::path(directory).parent_path() / name).lexically_normal().string();
  if (!std::filesystem::exists(file)) {
    Json json;
    json["baselines"] = probing.baselines(width, json["constant"]);
    create_once(file, json.dump() + "\n");
  }
  return parse_json<Json>(file);
}

// A layer of the encoder that others trained: it has neither epochs nor responses.
void measure_layer(const ProbesRun& run, const Probing& probing, int layer, Json& json) {
  const LoadedSystem loaded = open_model(run.settings.pretrained, Capability::kEncode, run.device);
  json["parameters"] = parameter_count(*loaded.module);
  json["checkpoints"]["best"] = probing.layer(*loaded.encoder, layer, &json["selectivity"]);
  json.update(baselines(run.directory, probing, run.run.seed, loaded.encoder->width()));
  json["dialogues"] = run.data.dialogues;
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

void measure_probes(const ProbesRun& run, const OnMeasuring& progress, Json& json) {
  const std::string& directory = run.directory;
  const ProbesData& data = run.data;
  const Probing probing(run.settings, data, run.run.seed, progress);
  if (const auto layer = probed_layer(run.run.variant))
    return measure_layer(run, probing, *layer, json);
  const int best = json["best_epoch"], last = json["epochs"];
  std::map<int, Json> epochs;
  for (const auto& [epoch, name] : epochs_of(directory, best, last)) {
    LoadedModel loaded = load_epoch(directory, name);
    json["parameters"] = parameter_count(*loaded.model);
    move(*loaded.model, run.device);
    epochs[epoch] =
        probing.checkpoint(*loaded.model, name, epoch == best ? &json["selectivity"] : nullptr);
    epochs[epoch]["epoch"] = epoch;
    if (epoch != best) continue;
    json["responses"] = probing.responses(*loaded.model, loaded.vocabulary);
    json.update(baselines(directory, probing, run.run.seed, loaded.model->config().hidden_size));
  }
  json["dialogues"] = data.dialogues;
  json["checkpoints"] = {{"untrained", without_items(epochs.at(0))},
                         {"last", without_items(epochs.at(last))},
                         {"best", epochs.at(best)}};
  json["by_epoch"] = curves(epochs, run.settings, data, last);
}

}  // namespace heed
