#include "dialog/track/run.h"

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "dialog/track/settings.h"
#include "nn/init.h"
#include "nn/safetensors.h"
#include "train/model_directory.h"
#include "train/preset.h"
#include "train/run_json.h"

namespace heed::track {
namespace {

constexpr const char *kWords = "vocab.txt", *kActs = "acts.txt", *kValues = "values.txt",
                     *kInit = "init.safetensors", *kFeatures = "features.";
constexpr auto kVisitConfig = [](auto& config, auto& v) { visit_config(config, v); };
constexpr auto kVisitTraining = [](auto& settings, auto& v) { visit_training(settings, v); };

// What the paper leaves open: batches of 32 dialogues, the end after five epochs without a better
// joint accuracy on the validation part.
Settings sized(int64_t width, int64_t words, int epochs, double rate, double inner_rate) {
  Settings s;
  s.model.vocab_size = 25000;
  s.model.embedding_size = s.model.act_size = words;
  s.model.hidden_size = width;
  s.model.inner_rate = inner_rate;
  s.loop = {.batch_size = 32, .optimizer = {.name = "adam"}, .max_norm = 5, .max_epochs = epochs};
  s.loop.schedule = {.rate = rate, .min_rate = 0, .patience = 5, .max_halvings = 0};
  return s;
}

// Copies the parameters that stand below "features." in a file, all of them.
void take_features(const std::string& path, Tracker& model) {
  const TensorMap tensors = load_tensors(path);
  for (const NamedParameter& p : parameters(model)) {
    if (!p.name.starts_with(kFeatures)) continue;
    const auto found = tensors.find(p.name);
    if (found == tensors.end() || found->second.shape() != p.var.shape()) {
      throw DataError(path + ": has no '" + p.name + "' of shape " + p.var.shape().str());
    }
    p.var.set_value(found->second);
  }
}

}  // namespace

void Settings::check() const {
  loop.check();
  if (fixed_features && init.empty()) {
    throw UsageError("--fixed-features needs --init: a tracker whose features stay as they are");
  }
  if (model.independent && model.output != "energy") {
    throw UsageError("--independent is for --output energy");
  }
}

const std::vector<Preset>& presets() {
  static const std::vector<Preset> kPresets = {
      {"paper", sized(128, 300, 100, 0.001, 0.001),
       "as printed: LSTMs of 128 cells, words and acts 300 wide"},
      {"laptop", sized(64, 64, 100, 0.01, 0.1), "LSTMs of 64 cells, words and acts 64 wide"},
      {"smoke", sized(24, 24, 4, 0.01, 0.1), "24 wide, 4 epochs; seconds"}};
  return kPresets;
}

const Preset& find_preset(const std::string& name) {
  return find_preset_in(presets(), name);
}

std::string preset_table() {
  return preset_lines(presets(), [](const Preset& p) { return p.help; });
}

void start_run(const std::string& run, const Settings& settings, const Reader& reader,
               const std::string& made_with) {
  reader.words.save(in(run, kWords));
  reader.acts.save(in(run, kActs));
  reader.slots.values().save(in(run, kValues));
  if (!settings.init.empty()) {
    write_file(in(run, kInit),
               read_file(weights_of(settings.init, parameter_count(load_config(settings.init))),
                         kMaxRunFileBytes));
  }
  nlohmann::ordered_json config = {{"system", kSystem}, {"kind", "tracker"}};
  config.update(settings_to_json(settings.model, kVisitConfig));
  write_file(in(run, "config.json"), config.dump(2) + "\n");
  write_settings(run, settings, kVisitTraining, made_with);
}

void begin_run(const std::string& run, const Settings& settings, const Reader& reader,
               const std::string& made_with) {
  begin_or_go_on(run, settings, load_settings,
                 [&] { start_run(run, settings, reader, made_with); });
}

Config load_config(const std::string& directory) {
  const std::string path = file_inside(directory, "config.json");
  return with_json(path, [&](const nlohmann::json& json) {
    if (json.value("kind", nlohmann::json()) != "tracker") {
      throw DataError(path + ": not a tracker; heed train tracker makes one");
    }
    auto config = settings_from_json<Config>(json, kVisitConfig);
    config.check();
    return config;
  });
}

Settings load_settings(const std::string& run) {
  const Config model = load_config(run);  // first: it says what the directory holds
  return with_json(file_inside(run, "settings.json"), [&](const nlohmann::json& json) {
    auto s = settings_from_json<Settings>(json, kVisitTraining);
    s.model = model;
    s.check();
    return s;
  });
}

Reader load_reader(const std::string& directory, const Config& config) {
  const auto load = [&](const char* name, int64_t size) {
    return load_vocabulary(file_inside(directory, name), size);
  };
  return {load(kWords, config.vocab_size), load(kActs, config.act_count + kSpecialTokens),
          Slots(load(kValues, config.values + kSpecialTokens), file_inside(directory, kValues))};
}

Tracker first_tracker(const std::string& run, const Settings& s) {
  Tracker model(s.model, s.loop.seed);
  if (!s.init.empty()) take_features(file_inside(run, kInit), model);
  if (s.fixed_features) freeze(model, "features");
  return model;
}

LoadedTracker load_tracker(const std::string& directory) {
  check_is_model(directory);
  const Config config = load_config(directory);
  const std::string weights = weights_of(directory, parameter_count(config));
  LoadedTracker loaded{Tracker(config), load_reader(directory, config)};
  load_parameters(weights, loaded.model);
  return loaded;
}

}  // namespace heed::track
