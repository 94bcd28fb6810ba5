#include "dialog/adversarial/run.h"

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "dialog/text/format.h"
#include "nn/safetensors.h"
#include "train/model_directory.h"
#include "train/run_json.h"

namespace heed::adversarial {
namespace {

using Json = nlohmann::json;

void save_config(const std::string& directory, const Config& c) {
  const nlohmann::ordered_json json = {{"system", "adversarial"},
                                       {"kind", "discriminator"},
                                       {"vocab_size", c.vocab_size},
                                       {"embedding_size", c.embedding_size},
                                       {"hidden_size", c.hidden_size},
                                       {"dropout", c.dropout},
                                       {"response_only", c.response_only},
                                       {"context", c.passages.context},
                                       {"min_tokens", c.passages.min_tokens},
                                       {"max_tokens", c.passages.max_tokens}};
  write_file(in(directory, "config.json"), json.dump(2) + "\n");
}

int small_number(const std::string& path, const Json& json, const char* key) {
  const auto value = typed_value<int64_t>(path, json, key);
  if (value < 0 || value > 1'000'000) throw DataError(path + ": '" + key + "' is out of range");
  return static_cast<int>(value);
}

Config load_config(const std::string& directory) {
  const std::string path = file_inside(directory, "config.json");
  const Json json = Json::parse(read_file(path, 1 << 20), nullptr, false);
  if (!json.is_object()) throw DataError(path + ": not a JSON object");
  if (json.value("kind", Json()) != "discriminator") {
    throw DataError(path + ": not a discriminator; heed discriminate train makes one");
  }
  Config c;
  c.vocab_size = typed_value<int64_t>(path, json, "vocab_size");
  c.embedding_size = typed_value<int64_t>(path, json, "embedding_size");
  c.hidden_size = typed_value<int64_t>(path, json, "hidden_size");
  c.dropout = typed_value<double>(path, json, "dropout");
  c.response_only = typed_value<bool>(path, json, "response_only");
  c.passages = {small_number(path, json, "context"), small_number(path, json, "min_tokens"),
                small_number(path, json, "max_tokens")};
  try {
    c.check();
  } catch (const UsageError& e) {
    throw DataError(path + ": " + e.what());
  }
  return c;
}

// What the paper leaves open: batches of 64, clipping at 5, at most 20 epochs, the end after three
// without a better loss on the validation part.
LoopSettings loop(int64_t batch, int epochs, double rate) {
  return {.batch_size = batch,
          .optimizer = {.name = "adam"},
          .max_norm = 5,
          .max_epochs = epochs,
          .schedule = {.rate = rate, .min_rate = 0, .patience = 3, .max_halvings = 0}};
}

Settings sized(int64_t words, int64_t width, const LoopSettings& loop) {
  Settings s;
  s.model.vocab_size = words + kSpecialTokens;
  s.model.embedding_size = s.model.hidden_size = width;
  s.loop = loop;
  return s;
}

// With embeddings as narrow as the cells, or more dropout, it takes epochs until it leaves chance.
Settings smoke() {
  Settings s = sized(2000, 32, loop(32, 3, 0.003));
  s.model.embedding_size = 128;
  s.model.dropout = 0.1;
  return s;
}

}  // namespace

void Settings::check() const {
  model.check();
  loop.check();
}

const std::vector<Preset>& presets() {
  static const std::vector<Preset> kPresets = {
      {"paper", sized(25000, 500, loop(64, 20, 0.001)), "hours on two cores (not measured)"},
      {"laptop", sized(10000, 128, loop(64, 20, 0.001)), "some minutes an epoch (not measured)"},
      {"smoke", smoke(), "about a minute on one core"},
  };
  return kPresets;
}

const Preset& find_preset(const std::string& name) {
  for (const Preset& preset : presets()) {
    if (preset.name == name) return preset;
  }
  throw UsageError("preset: expected paper, laptop or smoke, got '" + name + "'");
}

std::string preset_table() {
  std::string table;
  for (const Preset& p : presets()) {
    const Settings& s = p.settings;
    table += (table.empty() ? "  " : "\n  ") + p.name + ": " + std::to_string(s.model.hidden_size) +
             " cells in each direction, " + std::to_string(s.model.vocab_size - kSpecialTokens) +
             " words, batches of " + std::to_string(s.loop.batch_size) + ", at most " +
             counted(static_cast<size_t>(s.loop.max_epochs), "epoch") + "; takes " + p.time;
  }
  return table;
}

void start_run(const std::string& run, const Settings& settings, const Vocabulary& vocabulary,
               const std::string& made_with) {
  save_config(run, settings.model);
  vocabulary.save(in(run, "vocab.txt"));
  Json json = {{"format", kRunFormat},      {"negatives", settings.negatives.name()},
               {"limit", settings.limit},   {"data_fingerprint", settings.data_fingerprint},
               {"preset", settings.preset}, {"vocabulary", settings.words_asked}};
  json.update(settings_to_json(settings.loop, kVisitSettings));
  json["heed"] = Json::parse(made_with);
  write_file(in(run, "settings.json"), json.dump(2) + "\n");
}

Settings load_settings(const std::string& run) {
  const std::string path = file_inside(run, "settings.json");
  const Config model = load_config(run);  // first: it says what the directory holds
  try {
    Settings settings = with_json(path, [&](const Json& json) {
      Settings s;
      s.negatives = Negatives::parse(typed_value<std::string>(path, json, "negatives"));
      s.limit = json.at("limit").get<size_t>();
      s.data_fingerprint = json.at("data_fingerprint").get<uint32_t>();
      s.preset = json.value("preset", "");
      s.words_asked = json.value("vocabulary", int64_t{0});  // earlier runs have none
      settings_from_json(json, s.loop, kVisitSettings);
      return s;
    });
    settings.model = model;
    settings.check();
    return settings;
  } catch (const UsageError& e) {
    throw DataError(path + ": " + e.what());
  }
}

LoadedDiscriminator load_discriminator(const std::string& directory) {
  check_is_model(directory);
  const Config config = load_config(directory);
  const std::string weights = weights_of(directory, parameter_count(config));
  Vocabulary vocabulary = load_vocabulary(file_inside(directory, "vocab.txt"), config.vocab_size);
  LoadedDiscriminator loaded{Discriminator(config), std::move(vocabulary)};
  load_parameters(weights, loaded.model);
  return loaded;
}

}  // namespace heed::adversarial
