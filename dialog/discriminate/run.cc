#include "dialog/discriminate/run.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "dialog/discriminate/settings.h"
#include "dialog/text/format.h"
#include "nn/safetensors.h"
#include "train/model_directory.h"
#include "train/preset.h"
#include "train/run_json.h"

namespace heed::discriminate {
namespace {

constexpr auto kVisitConfig = [](auto& config, auto& v) { visit_config(config, v); };
constexpr auto kVisitTraining = [](auto& settings, auto& v) { visit_training(settings, v); };

Config load_config(const std::string& directory) {
  const std::string path = file_inside(directory, "config.json");
  return with_json(path, [&](const nlohmann::json& json) {
    if (json.value("kind", nlohmann::json()) != "discriminator") {
      throw DataError(path + ": not a discriminator; heed discriminate train makes one");
    }
    auto c = settings_from_json<Config>(json, kVisitConfig);
    c.check();
    return c;
  });
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

// Fine-tuning of a BERT.
Settings fine_tuned() {
  Settings s;
  s.model.encoder = "pretrained";
  s.model.dropout = 0.1;
  s.model.vocab_size = 50000 + kSpecialTokens;
  s.loop = loop(32, 3, 5e-5);
  s.loop.optimizer.weight_decay = 0.01;
  s.loop.optimizer.warm_up = 100;
  s.loop.max_norm = 1;
  return s;
}

// What reads words, as in an imported folder.
std::optional<PretrainedWords> words_in(const std::string& folder, const Config& config,
                                        const Vocabulary& vocabulary) {
  if (!config.pretrained()) return {};
  pretrained::Encoder encoder = pretrained::load_encoder(folder);
  if (encoder.model.config().hidden_size != 2 * config.hidden_size) {
    throw DataError(folder + ": states of " + std::to_string(encoder.model.config().hidden_size) +
                    " numbers, the discriminator reads " + std::to_string(2 * config.hidden_size));
  }
  return pretrained_words(std::move(encoder), vocabulary,
                          (config.passages.context + 1) * (config.passages.max_tokens + 1) + 1);
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
  if (model.pretrained() == init.empty()) {
    throw UsageError(init.empty()
                         ? "--encoder pretrained needs --init: a model that `heed import` made"
                         : "--init is for --encoder pretrained, not for " + model.encoder);
  }
  Discriminator small({.vocab_size = 1, .embedding_size = 1, .hidden_size = 1});
  (void)make_optimizer(small, loop.optimizer);  // throws for a group that no parameter is of
}

const std::vector<Preset>& presets() {
  static const std::vector<Preset> kPresets = {
      {"paper", sized(25000, 500, loop(64, 20, 0.001)), "hours on two cores (not measured)"},
      {"laptop", sized(10000, 128, loop(64, 20, 0.001)), "some minutes an epoch (not measured)"},
      {"smoke", smoke(), "about a minute on one core"},
      {"pretrained", fine_tuned(), "hours on two cores; begins with a BERT (--init), AdamW 5e-5"},
  };
  return kPresets;
}

const Preset& find_preset(const std::string& name) {
  return find_preset_in(presets(), name);
}

std::string preset_table() {
  return preset_lines(presets(), [](const Preset& p) {
    const Settings& s = p.settings;
    return (s.model.pretrained()
                ? "fine-tuning, "
                : std::to_string(s.model.hidden_size) + " cells in each direction, ") +
           std::to_string(s.model.vocab_size - kSpecialTokens) + " words, batches of " +
           std::to_string(s.loop.batch_size) + ", at most " +
           counted(static_cast<size_t>(s.loop.max_epochs), "epoch") + "; takes " + p.time;
  });
}

void start_run(const std::string& run, const Settings& settings, const Vocabulary& vocabulary,
               const std::string& made_with) {
  if (settings.model.pretrained()) {
    const std::string folder = in(run, pretrained::kFolderInRun);
    std::filesystem::remove_all(folder);  // what is left of a start that was killed
    pretrained::import_encoder(settings.init, folder);
  }
  nlohmann::ordered_json config = {{"system", "adversarial"}, {"kind", "discriminator"}};
  config.update(settings_to_json(settings.model, kVisitConfig));
  write_file(in(run, "config.json"), config.dump(2) + "\n");
  vocabulary.save(in(run, "vocab.txt"));
  write_settings(run, settings, kVisitTraining, made_with);
}

Settings load_settings(const std::string& run) {
  const Config model = load_config(run);  // first: it says what the directory holds
  return with_json(file_inside(run, "settings.json"), [&](const nlohmann::json& json) {
    auto s = settings_from_json<Settings>(json, kVisitTraining);
    s.model = model;
    if (s.vocabulary == 0) s.vocabulary = {};  // as older versions said that they did not know it
    s.check();
    return s;
  });
}

void begin_run(const std::string& run, const Settings& settings, const Vocabulary& vocabulary,
               const std::string& made_with) {
  begin_or_go_on(run, settings, load_settings,
                 [&] { start_run(run, settings, vocabulary, made_with); });
}

Discriminator first_discriminator(const std::string& run, const Settings& settings,
                                  const Vocabulary& vocabulary) {
  return Discriminator(settings.model, settings.loop.seed,
                       words_in(in(run, pretrained::kFolderInRun), settings.model, vocabulary));
}

LoadedDiscriminator load_discriminator(const std::string& directory) {
  check_is_model(directory);
  const Config config = load_config(directory);
  const std::string weights = weights_of(directory, parameter_count(config));
  Vocabulary vocabulary = load_vocabulary(file_inside(directory, "vocab.txt"), config.vocab_size);
  std::optional<PretrainedWords> words =
      words_in(in(directory, pretrained::kFolderInRun), config, vocabulary);
  LoadedDiscriminator loaded{Discriminator(config, std::move(words)), std::move(vocabulary)};
  load_parameters(weights, loaded.model);
  return loaded;
}

}  // namespace heed::discriminate
