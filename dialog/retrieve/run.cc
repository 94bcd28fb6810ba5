#include "dialog/retrieve/run.h"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "dialog/pretrained/encoder.h"
#include "dialog/retrieve/settings.h"
#include "nn/init.h"
#include "nn/safetensors.h"
#include "train/model_directory.h"
#include "train/preset.h"
#include "train/run_json.h"

namespace heed::retrieve {
namespace {

constexpr auto kVisitRanker = [](auto& settings, auto& v) { visit_config(settings, v); };
constexpr auto kVisitRankerTraining = [](auto& settings, auto& v) { visit_training(settings, v); };
using pretrained::kFolderInRun;

LoopSettings adam(int64_t batch, int epochs, double rate) {
  return {.batch_size = batch,
          .optimizer = {.name = "adam"},
          .max_norm = 5,
          .max_epochs = epochs,
          .schedule = {.rate = rate, .min_rate = rate / 1000, .patience = 1, .stop_after = 2}};
}

// Wide and without pairs of words: the best of the few forms that were tried
// (docs/results/retrieval.md).
Settings bag(int64_t words, int64_t width, double rate) {
  Settings s{.loop = adam(200, 5, rate)};
  s.model.encoder = "bag";
  s.model.vocab_size = words + kSpecialTokens;
  s.model.embedding_size = s.model.hidden_size = width;
  s.model.buckets = 0;
  s.model.dropout = 0.1;
  s.model.scale = 15;
  return s;
}

Settings production() {
  Settings s{.loop = adam(100, 10, 0.002)};
  s.model.vocab_size = 10000 + kSpecialTokens;
  return s;
}

// Four layers of 300 cells a direction, 16 heads, 200 shared negatives, Adam by Noam's schedule of
// the width 600, whose highest rate is (600 x 4000)^-1/2; 30 epochs of 10,000 batches there.
Settings printed_production() {
  Settings s{.loop = adam(200, 30, 1 / std::sqrt(600.0 * 4000))};
  s.model = {.encoder = "sru",
             .score = "dot",
             .vocab_size = 25000 + kSpecialTokens,
             .embedding_size = 300,
             .hidden_size = 300,
             .layers = 4,
             .heads = 16,
             .attention_size = 64,
             .shared = false};
  s.bounds = {.max_context = 500, .max_response = 100};
  s.negatives = "shared:200";
  s.loop.optimizer.warm_up = 4000;
  s.loop.optimizer.rate_decay = "inverse-sqrt";
  return s;
}

// 256 cells in one direction, c' M r of the last states, batches of 16.
Settings dstc7() {
  Settings s{.loop = adam(16, 10, 0.001)};
  s.model = {.score = "bilinear",
             .pool = "last",
             .vocab_size = 25000 + kSpecialTokens,
             .embedding_size = 100,
             .hidden_size = 256,
             .shared = false,
             .bidirectional = false};
  s.bounds = {.max_context = 160, .max_response = 160};
  return s;
}

Settings fine_tuned() {
  Settings s{.loop = adam(64, 1, 5e-5)};
  s.model.encoder = "pretrained";
  s.model.scale = 20;
  s.model.dropout = 0;
  s.loop.optimizer.weight_decay = 0.01;
  s.loop.optimizer.warm_up = 100;
  s.loop.max_norm = 1;
  s.bounds = {.max_context = 128, .max_response = 64};
  s.all_positions = false;
  return s;
}

Config config_in(const std::string& path, Settings& settings) {
  return with_json(path, [&](const nlohmann::json& json) {
    if (json.value("kind", nlohmann::json()) != "dual-encoder") {
      throw DataError(path + ": not a ranker; heed train retrieval makes one");
    }
    settings = settings_from_json<Settings>(json, kVisitRanker);
    settings.model.check();
    settings.bounds.check();
    return settings.model;
  });
}

}  // namespace

Negatives parse_negatives(const std::string& name) {
  Negatives n{.of_batch = name.starts_with("batch")};
  std::string_view rest = name;
  if (rest == "batch") return n;
  if (rest.starts_with("batch+")) rest.remove_prefix(6);
  if (rest.starts_with("shared:")) {
    rest.remove_prefix(7);
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), n.shared);
    const bool whole = read.ec == std::errc() && read.ptr == rest.data() + rest.size();
    if (whole && n.shared >= 1 && n.shared <= kMaxBatch) return n;
  }
  throw UsageError("negatives: expected batch, shared:K or batch+shared:K, got '" + name + "'");
}

void Settings::check() const {
  model.check();
  bounds.check();
  loop.check();
  parse_negatives(negatives);
  if (loss != "softmax" && loss != "hinge") {
    throw UsageError("retrieval: loss: expected softmax or hinge, got '" + loss + "'");
  }
  check_rule(smoothing >= 0 && smoothing < 1, "retrieval: smoothing: expected 0 to below 1",
             smoothing);
  check_rule(margin >= 0, "retrieval: margin: expected 0 or more", margin);
  check_rule(loop.batch_size >= 2 || !parse_negatives(negatives).of_batch,
             "retrieval: the negatives of a batch: expected batches of at least 2",
             static_cast<double>(loop.batch_size));
  check_rule(insert_prob >= 0 && insert_prob <= 1, "retrieval: insert-prob: expected 0 to 1",
             insert_prob);
  if (insert_prob > 0 && model.pretrained()) {
    throw UsageError("retrieval: insert-prob is not for the encoder pretrained");
  }
  if (attention_weight > 0 && (!model.attends() || insert_prob == 0)) {
    throw UsageError(
        "retrieval: attention-weight is for encoders that pool with attention, with "
        "insert-prob above 0");
  }
  if (model.pretrained() == init.empty()) {
    throw UsageError(init.empty()
                         ? "--encoder pretrained needs --init: a model that `heed import` made"
                         : "--init is for --encoder pretrained, not for " + model.encoder);
  }
}

const std::vector<Preset>& presets() {
  static const std::vector<Preset> kPresets = [] {
    Settings smoke = bag(5000, 64, 0.005);
    smoke.loop.max_epochs = 1;
    smoke.loop.batch_size = 100;
    return std::vector<Preset>{
        {"smoke", smoke, "a small bag; under a minute"},
        {"repository", bag(20000, 256, 0.003),
         "a bag of words 256 wide (Henderson et al., without their pairs of words: --buckets "
         "65536)"},
        {"production", production(), "one LSTM layer of 128 cells a direction, 4 heads"},
        {"production-paper", printed_production(),
         "Swanson et al. as printed: 4 SRU layers of 300 cells a direction, 16 heads; days"},
        {"dstc7", dstc7(), "Lowe et al., the baseline of DSTC7: LSTMs of 256 cells, c M r"},
        {"pretrained", fine_tuned(), "fine-tuning of a BERT (--init), AdamW 5e-5, one epoch"},
    };
  }();
  return kPresets;
}

const Preset& find_preset(const std::string& name) {
  return find_preset_in(presets(), name);
}

std::string preset_table() {
  return preset_lines(presets(), [](const Preset& p) { return p.help; });
}

TextReader reader_of(const Settings& s, const Vocabulary& vocabulary, const std::string& run) {
  if (!s.model.pretrained()) return TextReader(vocabulary, s.bounds);
  pretrained::Encoder e = pretrained::load_encoder(run.empty() ? s.init : in(run, kFolderInRun));
  return TextReader(std::move(e.pieces), e.max_length, s.bounds);
}

void start_run(const std::string& run, const Settings& settings, const Vocabulary& vocabulary,
               const std::string& made_with) {
  if (settings.model.pretrained()) {
    const std::string folder = in(run, kFolderInRun);
    std::filesystem::remove_all(folder);  // what is left of a start that was killed
    pretrained::import_encoder(settings.init, folder);
  } else {
    vocabulary.save(in(run, "vocab.txt"));
  }
  nlohmann::ordered_json config = {{"system", kSystem}, {"kind", "dual-encoder"}};
  config.update(settings_to_json(settings, kVisitRanker));
  write_file(in(run, "config.json"), config.dump(2) + "\n");
  write_settings(run, settings, kVisitRankerTraining, made_with);
}

void begin_run(const std::string& run, const Settings& settings, const Vocabulary& vocabulary,
               const std::string& made_with) {
  begin_or_go_on(run, settings, load_settings,
                 [&] { start_run(run, settings, vocabulary, made_with); });
}

Settings load_settings(const std::string& run) {
  Settings model;  // first: it says what the directory holds
  config_in(file_inside(run, "config.json"), model);
  return with_json(file_inside(run, "settings.json"), [&](const nlohmann::json& json) {
    auto s = settings_from_json<Settings>(json, kVisitRankerTraining);
    s.model = model.model;
    s.bounds = model.bounds;
    s.check();
    return s;
  });
}

LoadedRanker first_ranker(const std::string& run, const Settings& s) {
  const auto drawn = [&](DualEncoder model) {
    init(model, s.loop.seed);
    return model;
  };
  if (!s.model.pretrained()) {
    Vocabulary words = load_vocabulary(file_inside(run, "vocab.txt"), s.model.vocab_size);
    return {drawn(DualEncoder(s.model)), TextReader(std::move(words), s.bounds)};
  }
  pretrained::Encoder e = pretrained::load_encoder(in(run, kFolderInRun));
  return {drawn(DualEncoder(s.model, std::move(e.model))),
          TextReader(std::move(e.pieces), e.max_length, s.bounds)};
}

LoadedRanker load_ranker(const std::string& directory) {
  check_is_model(directory);
  Settings settings;
  const Config config = config_in(file_inside(directory, "config.json"), settings);
  const std::string weights = weights_of(directory, parameter_count(config));
  LoadedRanker loaded = first_ranker(directory, settings);
  load_parameters(weights, loaded.model);
  return loaded;
}

}  // namespace heed::retrieve
