#include "dialog/comprehend/run.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/file.h"
#include "dialog/comprehend/score.h"
#include "dialog/comprehend/settings.h"
#include "dialog/pretrained/encoder.h"
#include "nn/init.h"
#include "nn/safetensors.h"
#include "train/model_directory.h"
#include "train/preset.h"
#include "train/run_json.h"

namespace heed::comprehend {
namespace {

constexpr auto kVisitReader = [](auto& settings, auto& v) { visit_config(settings, v); };
constexpr auto kVisitReaderTraining = [](auto& settings, auto& v) { visit_training(settings, v); };
using pretrained::kFolderInRun;

Settings adam(int epochs, int64_t examples, double rate) {
  return {.loop = {
              .batch_size = examples,
              .optimizer = {.name = "adam"},
              .max_norm = 1,
              .max_epochs = epochs,
              .schedule = {.rate = rate, .min_rate = rate / 1000, .patience = 1, .stop_after = 2}}};
}

// Small, and drawn.
Settings smoke() {
  Settings s = adam(2, 4, 0.002);
  s.model.turns = 1;
  s.model.width = 32;
  s.model.window = 200;
  return s;
}

// As the paper's, but for its size: BERT is larger, and its GRUs are as wide as it.
Settings fine_tuned() {
  Settings s = adam(2, 4, 3e-5);
  s.loop.optimizer.weight_decay = 0.01;
  s.loop.optimizer.warm_up = 50;
  return s;
}

Settings frozen() {
  Settings s = adam(6, 4, 0.002);
  s.model.frozen = true;
  s.model.width = 96;
  s.model.window = 160;
  return s;
}

// A line each: the special pieces, signs and letters, and the most frequent words.
std::string vocabulary_lines(const Corpus& corpus, int64_t words) {
  std::string lines = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
  for (char c = '!'; c <= '~'; ++c) {
    if (c >= 'A' && c <= 'Z') continue;
    lines += std::string(1, c) + "\n";
    if (std::isalnum(static_cast<unsigned char>(c))) lines += "##" + std::string(1, c) + "\n";
  }
  std::map<std::string, int64_t> counts;
  const auto count = [&](const std::string& text) {
    std::string word;
    for (const char c : lower_case(text) + " ") {
      if (c >= 'a' && c <= 'z') {
        word += c;
      } else {
        if (word.size() > 1) ++counts[word];
        word.clear();
      }
    }
  };
  for (const Passage& p : corpus.passages) {
    count(p.text);
    for (const Question& q : p.questions) count(q.text);
  }
  std::vector<std::pair<int64_t, std::string>> frequent;
  for (const auto& [word, n] : counts) frequent.emplace_back(-n, word);
  std::sort(frequent.begin(), frequent.end());
  for (size_t i = 0; i < frequent.size() && std::cmp_less(i, words); ++i) {
    lines += frequent[i].second + "\n";
  }
  return lines;
}

// A folder as one that was imported, whose weights are drawn.
void draw_encoder(const std::string& folder, const Settings& s, const Corpus& corpus) {
  make_directory(folder);
  const std::string lines = vocabulary_lines(corpus, s.vocabulary);
  pretrained::BertConfig c{.hidden_size = s.hidden,
                           .num_hidden_layers = s.layers,
                           .num_attention_heads = 4,
                           .intermediate_size = 4 * s.hidden,
                           .type_vocab_size = 2};
  c.vocab_size = std::count(lines.begin(), lines.end(), '\n');
  c.max_position_embeddings = s.model.window + s.model.longest_query + 3;
  pretrained::Bert bert(c);
  init(bert, s.loop.seed);
  save_parameters(in(folder, "model.safetensors"), bert);
  write_file(in(folder, "vocab.txt"), lines);
  const nlohmann::ordered_json config = {{"system", pretrained::kBertSystem},
                                         {"model_type", "bert"},
                                         {"vocab_size", c.vocab_size},
                                         {"hidden_size", c.hidden_size},
                                         {"num_hidden_layers", c.num_hidden_layers},
                                         {"num_attention_heads", c.num_attention_heads},
                                         {"intermediate_size", c.intermediate_size},
                                         {"max_position_embeddings", c.max_position_embeddings},
                                         {"type_vocab_size", c.type_vocab_size}};
  write_file(in(folder, "config.json"), config.dump(2) + "\n");
}

void config_in(const std::string& path, Settings& settings) {
  with_json(path, [&](const nlohmann::json& json) {
    if (json.value("system", nlohmann::json()) != kSystem) {
      throw DataError(path + ": not a reader of passages; heed train comprehend makes one");
    }
    settings = settings_from_json<Settings>(json, kVisitReader);
    settings.model.check();
    return 0;
  });
}

}  // namespace

void Settings::check() const {
  model.check();
  loop.check();
  check_rule(hidden >= 4 && hidden % 4 == 0, "comprehend: hidden: expected a multiple of 4",
             static_cast<double>(hidden));
  if (init.empty() && model.frozen) {
    throw UsageError("comprehend: --frozen needs --init: an encoder that is drawn must learn");
  }
}

const std::vector<Preset>& presets() {
  static const std::vector<Preset> kPresets = {
      {"smoke", smoke(), "a small encoder from nothing; a minute or two"},
      {"frozen", frozen(), "a pretrained encoder (--init) that stays as it is, GRUs of 96 cells"},
      {"fine-tuned", fine_tuned(), "a pretrained encoder (--init), trained further; AdamW 3e-5"}};
  return kPresets;
}

const Preset& find_preset(const std::string& name) {
  return find_preset_in(presets(), name);
}

uint32_t fingerprint(const Parts& parts) {
  uint32_t crc = 0;
  const auto mix = [&](const std::string& text) {
    crc = checksum(std::to_string(text.size()) + " " + text, crc);
  };
  for (const Corpus* part : {&parts.train, &parts.valid}) {
    for (const Passage& p : part->passages) {
      mix(p.text);
      for (const Question& q : p.questions) {
        mix(q.text);
        for (const Answer& a : q.answers) mix(a.text);
      }
    }
  }
  return crc;
}

std::vector<ReadPassage> read_all(const Corpus& corpus, const pretrained::WordPiece& pieces,
                                  const Config& config) {
  std::vector<ReadPassage> all;
  for (const Passage& p : corpus.passages) {
    all.push_back(read_passage(p, pieces, config.longest_query));
  }
  return all;
}

void start_run(const std::string& run, const Settings& settings, const Parts& parts,
               const std::string& made_with) {
  const std::string folder = in(run, kFolderInRun);
  std::filesystem::remove_all(folder);  // what is left of a start that was killed
  if (settings.init.empty()) {
    draw_encoder(folder, settings, parts.train);
  } else {
    pretrained::import_encoder(settings.init, folder);
  }
  nlohmann::ordered_json config = {{"system", kSystem}};
  config.update(settings_to_json(settings, kVisitReader));
  write_file(in(run, "config.json"), config.dump(2) + "\n");
  write_settings(run, settings, kVisitReaderTraining, made_with);
}

void begin_run(const std::string& run, const Settings& settings, const Parts& parts,
               const std::string& made_with) {
  begin_or_go_on(run, settings, load_settings, [&] { start_run(run, settings, parts, made_with); });
}

Settings load_settings(const std::string& run) {
  Settings model;  // first: it says what the directory holds
  config_in(file_inside(run, "config.json"), model);
  return with_json(file_inside(run, "settings.json"), [&](const nlohmann::json& json) {
    auto s = settings_from_json<Settings>(json, kVisitReaderTraining);
    s.model = model.model;
    s.check();
    return s;
  });
}

LoadedReader first_reader(const std::string& run, const Settings& s) {
  pretrained::Encoder e = pretrained::load_encoder(in(run, kFolderInRun));
  const std::vector<int32_t> special = e.pieces.read("", 2).ids;  // [CLS] [SEP]
  SpanReader model(s.model, std::move(e.model), {special.at(0), special.at(1)});
  init(model, s.loop.seed);
  return {std::move(e.pieces), std::move(model)};
}

LoadedReader load_reader(const std::string& directory) {
  check_is_model(directory);
  Settings settings;
  config_in(file_inside(directory, "config.json"), settings);
  const std::string weights = weights_of(directory, 0);
  LoadedReader loaded = first_reader(directory, settings);
  load_parameters(weights, loaded.model);
  return loaded;
}

// ---- training

namespace {

// Questions of one passage that follow each other.
struct Together {
  size_t passage, first, end;
};

class Reading {
 public:
  Reading(SpanReader& model, const pretrained::WordPiece& pieces, const Settings& settings,
          const Corpus& valid, const std::vector<ReadPassage>& train_read,
          const std::vector<ReadPassage>& valid_read)
      : model_(model),
        pieces_(pieces),
        settings_(settings),
        valid_(valid),
        train_read_(train_read),
        valid_read_(valid_read) {
    const auto together = static_cast<size_t>(settings.together);
    for (size_t p = 0; p < train_read.size(); ++p) {
      const size_t n = train_read[p].questions.size();
      for (size_t q = 0; q < n; q += together) {
        examples_.push_back({p, q, std::min(n, q + together)});
      }
    }
  }

  std::vector<int64_t> sizes() const {
    std::vector<int64_t> sizes;
    for (const Together& t : examples_) {
      sizes.push_back(static_cast<int64_t>(t.end - t.first) *
                      std::ssize(train_read_[t.passage].pieces));
    }
    return sizes;
  }

  Loss loss(const std::vector<int64_t>& indices, const StepKey& key) const {
    std::vector<Asked> questions;
    std::vector<Target> targets;
    Loss loss;
    for (const int64_t i : indices) {
      const Together& t = examples_[i];
      const ReadPassage& read = train_read_[t.passage];
      std::vector<TurnBefore> before;
      for (size_t q = 0; q < t.end; ++q) {
        const ReadQuestion& question = read.questions[q];
        if (q >= t.first) {
          questions.push_back(asked(read, question.question, before, settings_.model));
          targets.push_back(question.target);
          loss.tokens += std::ssize(read.pieces);
        }
        before.push_back({question.question, question.answer});
      }
    }
    const DropoutMode drop(settings_.model.dropout, key.seed, key.number());
    loss.total = span_loss(model_(questions, drop), targets);
    loss.nll = loss.total.value().item();
    const auto count = static_cast<double>(questions.size());
    loss.counts = {{"nll", loss.nll * count}, {"questions", count}};
    return loss;
  }

  Metrics validate(const OnValidation& on_batch) const {
    const auto answers =
        answer_all(model_, pieces_, valid_read_, History::kGold, /*batch=*/16, on_batch);
    const Scores scores = measure(valid_, texts_of(answers));
    return {{kValidF1, scores.f1, true}, {kValidExact, scores.exact, true}};
  }

  std::string describe(const std::vector<int64_t>& indices) const {
    int64_t questions = 0, longest = 0;
    for (const int64_t i : indices) {
      questions += static_cast<int64_t>(examples_[i].end - examples_[i].first);
      longest = std::max<int64_t>(longest, std::ssize(train_read_[examples_[i].passage].pieces));
    }
    return std::to_string(questions) + " questions on passages of up to " +
           std::to_string(longest) + " pieces";
  }

 private:
  SpanReader& model_;
  const pretrained::WordPiece& pieces_;
  const Settings& settings_;
  const Corpus& valid_;
  const std::vector<ReadPassage>&train_read_, &valid_read_;
  std::vector<Together> examples_;
};

}  // namespace

Task reader_task(SpanReader& model, const pretrained::WordPiece& pieces, const Settings& settings,
                 const Corpus& valid, const std::vector<ReadPassage>& train_read,
                 const std::vector<ReadPassage>& valid_read) {
  const auto reading =
      std::make_shared<const Reading>(model, pieces, settings, valid, train_read, valid_read);
  return {.module = &model,
          .sizes = reading->sizes(),
          .loss = [reading](const auto& examples,
                            const StepKey& key) { return reading->loss(examples, key); },
          .measure = [](const Counts& c) -> Metrics {
            return {{kTrainNll, c.at("nll") / c.at("questions"), false}};
          },
          .validate = [reading](const auto& on_batch) { return reading->validate(on_batch); },
          .describe = [reading](const auto& examples) { return reading->describe(examples); }};
}

bool train(const std::string& run, const Settings& settings, const Parts& parts, Device device,
           const TrainHooks& hooks, std::shared_ptr<StateCache> cache) {
  settings.check();
  LoadedReader reader = first_reader(run, settings);
  if (cache) reader.model.share(std::move(cache));
  move(reader.model, device);
  const auto train_read = read_all(parts.train, reader.pieces, settings.model),
             valid_read = read_all(parts.valid, reader.pieces, settings.model);
  return heed::train(
      run, settings.loop,
      {reader_task(reader.model, reader.pieces, settings, parts.valid, train_read, valid_read)},
      hooks);
}

}  // namespace heed::comprehend
