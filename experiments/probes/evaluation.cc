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
    if (std::filesystem::exists(in(directory, "epoch-" + name + ".safetensors"))) {
      epochs[epoch] = name;
    }
  }
  epochs[last] = "last";
  epochs[best] = "best";
  return epochs;
}

// F1 by epoch, from the checkpoints of the epochs.
Json curves(const std::map<int, Json>& epochs, const ProbesRun& run, int last) {
  Json json = Json::object();
  for (const ProbeReading& reading : run.settings.readings) {
    for (const std::string& task : run.data.tasks) {
      for (int epoch = 0; epoch <= last; ++epoch) {
        const auto found = epochs.find(epoch);
        json[reading.name][task].push_back(
            found == epochs.end() ? Json() : found->second[reading.name][task]["f1"]);
      }
    }
  }
  return json;
}

// A layer of the encoder that others trained: it has neither epochs nor responses.
void measure_layer(const ProbesRun& run, const Probing& probing, int layer, Json& json) {
  const LoadedSystem loaded = open_model(run.settings.pretrained, Capability::kEncode, run.device);
  json["parameters"] = parameter_count(*loaded.module);
  json["checkpoints"]["best"] = probing.checkpoint(
      *loaded.encoder, "layer " + std::to_string(layer), &json["selectivity"], layer);
  json.update(probing.baselines(loaded.encoder->width()));
  json["dialogues"] = run.data.dialogues;
}

}  // namespace

void measure_probes(const ProbesRun& run, const OnMeasuring& progress, Json& json) {
  const Probing probing(run, progress);
  if (const auto layer = probed_layer(run.run.variant))
    return measure_layer(run, probing, *layer, json);
  const int best = json["best_epoch"], last = json["epochs"];
  std::map<int, Json> epochs;
  for (const auto& [epoch, name] : epochs_of(run.directory, best, last)) {
    const LoadedModel loaded = probing.model(name);
    json["parameters"] = parameter_count(*loaded.model);
    epochs[epoch] =
        probing.checkpoint(loaded, name, epoch == best ? &json["selectivity"] : nullptr);
    epochs[epoch]["epoch"] = epoch;
    if (epoch != best) continue;
    json["responses"] = probing.responses(loaded);
    json.update(probing.baselines(loaded.model->config().hidden_size));
  }
  json["dialogues"] = run.data.dialogues;
  json["checkpoints"] = {{"untrained", without_items(epochs.at(0))},
                         {"last", without_items(epochs.at(last))},
                         {"best", epochs.at(best)}};
  json["by_epoch"] = curves(epochs, run, last);
}

}  // namespace heed
