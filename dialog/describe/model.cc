#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/machine.h"
#include "dialog/describe/info_json.h"
#include "dialog/system.h"
#include "nn/safetensors.h"
#include "train/checkpoint.h"
#include "train/lock.h"
#include "train/run_json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

Json object_in(const std::string& directory, const char* file) {
  const std::string path = file_inside(directory, file);
  Json json = parse_json<Json>(path);
  if (!json.is_object()) throw DataError(path + ": not a JSON object");
  return json;
}

Json weights_json(const std::string& file, const std::vector<NamedTensor>& tensors) {
  int64_t numbers = 0;
  Json list = Json::array();
  const std::map<std::string, std::string> stored = stored_types(file);
  for (const NamedTensor& t : tensors) {
    const Shape& shape = t.tensor.shape();
    const auto type = stored.find(t.name);
    Json sizes = Json::array();
    for (int axis = 0; axis < shape.rank(); ++axis) sizes.push_back(shape[axis]);
    list.push_back({{"name", t.name},
                    {"shape", sizes},
                    {"type", type == stored.end() ? name_of(t.tensor.dtype()) : type->second},
                    {"numbers", shape.numel()}});
    numbers += shape.numel();
  }
  const auto bytes = fs::file_size(file);
  return {{"numbers", numbers},
          {"bytes", bytes},
          {"size", size_text(static_cast<double>(bytes))},
          {"fingerprint", file_checksum(file)},
          {"tensors", list}};
}

std::vector<NamedTensor> tensors_in(const std::string& file) {
  std::vector<NamedTensor> tensors;
  for (const auto& [name, tensor] : load_tensors(file)) tensors.push_back({name, tensor});
  return tensors;
}

Json vocabulary_json(const Vocabulary& vocabulary) {
  constexpr int32_t kShown = 8;  // of the most frequent words, or of the pieces learned first
  const bool words = vocabulary.kind() == TokenKind::kWords;
  const int32_t begin = words ? kSpecialTokens : kSmallestOfPieces;
  Json first = Json::array();
  for (int32_t id = begin; id < std::min(vocabulary.size(), begin + kShown); ++id) {
    first.push_back(vocabulary.token(id));
  }
  return {{"tokens", vocabulary.size()}, {"kind", name_of(vocabulary.kind())}, {"first", first}};
}

// config.json without what has no effect: the sizes of an encoder that a model does not have.
Json config_of(const std::string& directory) {
  Json config = object_in(directory, "config.json");
  const System& system = system_of_run(directory);
  if (!system.files) return config;
  const System::Files files = system.files();
  const AnySettings& settings = files.files.front();
  with_json(file_inside(directory, "config.json"), [&](const nlohmann::json& json) {
    const SettingReader reader(json);
    visit_settings(settings, reader);
  });
  const Json in_effect = as_texts(as_options(settings));
  const auto erase = [&](const Setting& setting, const auto&) {
    if (unmet_condition(setting, in_effect)) erase_key(config, setting.key);
  };
  visit_settings(settings, erase);
  return config;
}

// Adds "model", "vocabulary" and "parameters". The model is loaded, so that one whose files do not
// fit together is an error.
void add_model(const std::string& directory, Json& info) {
  info["model"] = config_of(directory);
  const std::string weights = file_inside(directory, "model.safetensors");
  const LoadedSystem loaded = load_system(directory);
  if (loaded.vocabulary) info["vocabulary"] = vocabulary_json(*loaded.vocabulary);
  info["parameters"] = weights_json(weights, parameter_tensors(*loaded.module));
  for (const Capability can : find_system(loaded.system).can) info["can"].push_back(name_of(can));
}

// One epoch, in the order in which people read it.
Json epoch_json(const EpochLog& epoch) {
  Json json = {{"epoch", epoch.epoch}, {"loss", epoch.loss}};
  for (const Metric& metric : epoch.metrics) json[metric.name] = metric.value;
  json.update(Json{{"rate", epoch.rate},
                   {"grad_norm", epoch.grad_norm},
                   {"steps", epoch.steps},
                   {"tokens", epoch.tokens}});
  return json;
}

// The epoch of the kept model, with the metric that decided: by the state of the training, or, if
// there is none, that of the lowest validation perplexity. Null where neither tells.
Json best_of(const std::vector<EpochLog>& log, const std::optional<TrainState>& state) {
  Json best;
  for (const EpochLog& epoch : log) {
    const bool decides = state && epoch.epoch == state->epoch - state->schedule.since_best;
    for (const Metric& m : epoch.metrics) {
      if (decides && m.name.starts_with("valid_") && m.value == state->schedule.best) {
        return {{"epoch", epoch.epoch}, {m.name, m.value}};
      }
      if (m.name != "valid_perplexity") continue;
      if (!best.is_null() && best[m.name].get<double>() <= m.value) continue;
      best = {{"epoch", epoch.epoch}, {m.name, m.value}};
    }
  }
  return best;
}

std::vector<EpochLog> log_of(const std::string& run) {
  return has_file(run, "log.jsonl") ? load_log(run) : std::vector<EpochLog>{};
}

const char* status_of(const std::string& run, const std::optional<TrainState>& state,
                      const Json& max_epochs) {
  if (is_locked(run)) return "running";
  if (!state) return has_file(run, "model.safetensors") ? "model" : "begun";
  const bool ended = state->schedule.finished || Json(state->epoch) >= max_epochs;
  return ended ? "complete" : "resumable";
}

}  // namespace

Json info_of_model(const std::string& directory) {
  Json info = {{"kind", "model"}};
  add_model(directory, info);
  return info;
}

Json state_of_run(const std::string& directory) {
  const Json max_epochs = object_in(directory, "settings.json").value("max_epochs", Json());
  const std::optional<TrainState> state = look_at_checkpoint(directory);
  const std::vector<EpochLog> log = log_of(directory);
  Json json = {{"status", status_of(directory, state, max_epochs)},
               {"epochs", state ? static_cast<size_t>(state->epoch) : log.size()},
               {"max_epochs", max_epochs},
               {"steps_of_next_epoch", state ? state->step : 0}};
  json["best"] = best_of(log, state);
  return json;
}

Json info_of_run(const std::string& directory) {
  with_json(file_inside(directory, "settings.json"), [](const auto&) { return 0; });  // its format
  Json settings = object_in(directory, "settings.json");
  Json info = {{"kind", "run"}, {"format", settings.value("format", Json(1))}};
  settings.erase("format");
  info["state"] = state_of_run(directory);
  info["begun_with"] = settings.value("heed", Json());
  settings.erase("heed");
  info["settings"] = settings;
  info["log"] = Json::array();
  for (const EpochLog& epoch : log_of(directory)) info["log"].push_back(epoch_json(epoch));
  if (has_file(directory, "model.safetensors")) {
    add_model(directory, info);
  } else {
    info["model"] = config_of(directory);
    info["parameters"] = nullptr;
  }
  return info;
}

Json info_of_weights(const std::string& file) {
  Json info = {{"kind", "weights"}};
  info.update(weights_json(file, tensors_in(file)));
  return info;
}

}  // namespace heed
