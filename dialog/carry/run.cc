#include "dialog/carry/run.h"

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "dialog/carry/settings.h"
#include "nn/init.h"
#include "nn/safetensors.h"
#include "train/model_directory.h"
#include "train/preset.h"
#include "train/run_json.h"

namespace heed::carry {
namespace {

constexpr auto kVisitModel = [](auto& model, auto& v) { visit_config(model, v); };
constexpr auto kVisitTraining = [](auto& settings, auto& v) { visit_training(settings, v); };

Settings sized(int64_t words, int64_t width, int64_t heads, int64_t head_size, int epochs) {
  Settings s;
  s.model.vocab_size = words;
  s.model.embedding_size = s.model.hidden_size = width;
  s.model.heads = heads;
  s.model.head_size = head_size;
  s.loop = {.batch_size = 32,
            .optimizer = {.name = "adam"},
            .max_norm = 5,
            .max_epochs = epochs,
            .schedule = {.rate = 0.001, .min_rate = 1e-6, .patience = 1, .stop_after = 3}};
  return s;
}

Config config_in(const std::string& path) {
  return with_json(path, [&](const nlohmann::json& json) {
    if (json.value("system", nlohmann::json()) != kSystem) {
      throw DataError(path + ": not slot carryover; heed train carryover makes it");
    }
    const auto config = settings_from_json<Config>(json, kVisitModel);
    config.check();
    return config;
  });
}

}  // namespace

void Settings::check() const {
  model.check();
  loop.check();
  check_rule(share > 0 && share <= 1, "carryover: share: expected more than 0, to 1", share);
  if (set != "same" && set != "cross" && set != "both") {
    throw UsageError("carryover: set: expected same, cross or both, got '" + set + "'");
  }
}

const std::vector<Preset>& presets() {
  static const std::vector<Preset> kPresets = [] {
    Settings smoke = sized(2000, 32, 2, 8, 2), paper = sized(25000, 300, 80, 64, 40);
    smoke.loop.optimizer.name = "adam";
    smoke.loop.schedule.rate = 0.005;
    smoke.model.dropout = 0.1;
    paper.loop.schedule.stop_after = 0;
    return std::vector<Preset>{
        {"smoke", smoke, "32 wide; under a minute on small data"},
        {"laptop", sized(10000, 128, 4, 16, 10), "128 wide, 4 heads of 16"},
        {"paper", paper, "Chen et al.: 300 wide, 80 heads of 64, 40 epochs; days on a processor"}};
  }();
  return kPresets;
}

const Preset& find_preset(const std::string& name) {
  return find_preset_in(presets(), name);
}

std::string preset_table() {
  return preset_lines(presets(), [](const Preset& p) { return p.help; });
}

void start_run(const std::string& run, const Settings& settings, const Vocabulary& vocabulary,
               const std::string& made_with) {
  vocabulary.save(in(run, "vocab.txt"));
  nlohmann::ordered_json config = {{"system", kSystem}, {"kind", settings.model.decoder}};
  config.update(settings_to_json(settings.model, kVisitModel));
  write_file(in(run, "config.json"), config.dump(2) + "\n");
  write_settings(run, settings, kVisitTraining, made_with);
}

void begin_run(const std::string& run, const Settings& settings, const Vocabulary& vocabulary,
               const std::string& made_with) {
  begin_or_go_on(run, settings, load_settings,
                 [&] { start_run(run, settings, vocabulary, made_with); });
}

Settings load_settings(const std::string& run) {
  const Config model = config_in(file_inside(run, "config.json"));
  return with_json(file_inside(run, "settings.json"), [&](const nlohmann::json& json) {
    auto s = settings_from_json<Settings>(json, kVisitTraining);
    s.model = model;
    s.check();
    return s;
  });
}

LoadedCarryover first_carryover(const std::string& run) {
  const Settings s = load_settings(run);
  LoadedCarryover loaded{Carryover(s.model),
                         load_vocabulary(file_inside(run, "vocab.txt"), s.model.vocab_size)};
  init(loaded.model, s.loop.seed);
  return loaded;
}

LoadedCarryover load_carryover(const std::string& directory) {
  check_is_model(directory);
  const Config config = config_in(file_inside(directory, "config.json"));
  const std::string weights = weights_of(directory, parameter_count(config));
  LoadedCarryover loaded{Carryover(config),
                         load_vocabulary(file_inside(directory, "vocab.txt"), config.vocab_size)};
  load_parameters(weights, loaded.model);
  return loaded;
}

}  // namespace heed::carry
