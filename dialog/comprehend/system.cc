// The system "comprehend": where in a text does an answer stand?
#include <algorithm>
#include <bit>
#include <map>

#include "dialog/comprehend/task.h"
#include "dialog/pretrained/encoder.h"
#include "dialog/system_runs.h"
#include "dialog/text/format.h"
#include "dialog/text/word_bytes.h"
#include "dialog/training_of.h"
#include "train/run_json.h"
#include "train/setting_rules.h"

namespace heed::comprehend {
namespace {

constexpr const char* kFromNothing = "smoke";  // the preset without a pretrained encoder

using pretrained::kFolderInRun;

Settings with_loop(int epochs, double rate) {
  Settings s;
  s.loop = adam_loop(/*batch=*/4, epochs, rate, /*stop_after=*/2);
  s.loop.max_norm = 1;
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

class ReaderTraining : public SystemTraining<Own> {
 public:
  using SystemTraining::SystemTraining;

  std::vector<Folder> folders() override {
    return {{"init", "Begin with the weights of this model or run, a BERT that heed import made",
             &s_.init}};
  }
  void complete() override {
    const auto refuse = [&](const std::string& option, const std::string& why) {
      if (given(option)) throw UsageError("--" + option + ": " + why);
    };
    for (const char* size : {"hidden", "encoder-layers", "vocab"}) {
      if (!s_.init.empty()) refuse(size, "a pretrained encoder brings its sizes");
    }
    for (const char* option : {"without-questions", "without-answers", "other-turns"}) {
      if (s_.model.turns == 0) refuse(option, "only applies with --turns above 0");
    }
    if (s_.init.empty() && s_.preset && *s_.preset != kFromNothing) {
      throw UsageError("--preset " + *s_.preset + " needs --init: a model that `heed import` made");
    }
    s_.loop.pieces = std::max(s_.loop.pieces, pieces_of(s_));
    SystemTraining::complete();
  }
  void prepare(const Talk&) override {
    if (s_.init.empty()) {
      const auto h = static_cast<double>(s_.hidden);
      check_memory(static_cast<double>(s_.vocabulary) * h +
                   static_cast<double>(s_.layers) * 12 * h * h);
    }
  }
  void describe(const std::string& run, bool, const Talk& talk) const override {
    const Config& m = s_.model;
    talk.say(run + ": " + (s_.init.empty() ? "an encoder from nothing" : s_.init) +
             (m.frozen ? ", frozen" : "") + ", GRUs of " + std::to_string(m.width) + " cells, " +
             counted(m.turns, "earlier turn"));
    talk.say(counted(data_.train.questions(), "training question") + " on " +
             counted(data_.train.passages.size(), "passage") + " and " +
             std::to_string(data_.valid.questions()) + " to validate");
    if (data_.train.left_out > 0) {
      talk.note("left out: " + counted(data_.train.left_out, "question") +
                (data_.divided ? " of all parts" : "") + " without an answer");
    }
    if (const size_t unplaced = data_.train.unplaced(); unplaced > 0) {
      talk.note("not learned: " + counted(unplaced, "training question") +
                " whose answer does not stand in the passage");
    }
  }
};

LoadedSystem load_model(const std::string& directory, const std::string& epoch) {
  const auto reader = Runs::of_epoch(directory, epoch);
  LoadedSystem loaded = without_bounds(reader);
  loaded.answerer = annotator(reader);
  return loaded;
}

}  // namespace

void Settings::check() const {
  model.check();
  loop.check();
  check_values("comprehend", *this, [](auto& s, auto& v) { visit_training(s, v); });
  if (hidden % 4 != 0) {
    throw UsageError("comprehend: hidden_size: expected a multiple of 4, got " +
                     std::to_string(hidden));
  }
  if (init.empty() && model.frozen) {
    throw UsageError("comprehend: --frozen needs --init: an encoder that is drawn must learn");
  }
}

int pieces_of(const Settings& s) {
  if (s.init.empty() || s.model.frozen) return 1;
  return static_cast<int>(std::bit_ceil(static_cast<uint64_t>(2 * s.model.turns + 1)));
}

std::vector<PresetOf<Settings>> Own::presets() {
  Settings smoke = with_loop(2, 0.002), frozen = with_loop(6, 0.002);  // the former is drawn
  frozen.loop.schedule.stop_after = 0;  // so that readers that are compared learn equally long
  smoke.model.turns = 1;
  smoke.model.width = 32;
  smoke.model.window = 200;
  frozen.model.frozen = true;
  frozen.model.width = 96;
  frozen.model.window = 160;
  Settings fine_tuned = with_loop(2, 3e-5);  // as the paper's, but for the size of its GRUs
  fine_tuned.loop.optimizer.weight_decay = 0.01;
  fine_tuned.loop.optimizer.warm_up = 50;
  Settings paper = fine_tuned;  // two turns before, and GRUs as wide as BERT-base
  paper.model.width = 768;
  return {{kFromNothing, smoke, "a small encoder from nothing; a minute or two"},
          {"frozen", frozen, "a pretrained encoder (--init) that stays as it is, GRUs of 96 cells"},
          {"fine-tuned", fine_tuned, "a pretrained encoder (--init), trained further; AdamW 3e-5"},
          {"paper", paper, "the same with GRUs of 768 cells, as wide as the paper's BERT"}};
}

void Own::keep(const std::string& run, const Settings& s, const Parts& parts) {
  if (!s.init.empty()) return pretrained::keep_encoder(s.init, run);
  draw_encoder(pretrained::empty_encoder_folder(run), s, parts.train);
}

LoadedReader Own::blank(const std::string& directory, const Settings& s) {
  pretrained::Encoder e = pretrained::load_encoder(in(directory, kFolderInRun));
  const std::vector<int32_t> special = e.pieces.read("", 2).ids;  // [CLS] [SEP]
  return {std::move(e.pieces),
          SpanReader(s.model, std::move(e.model), {special.at(0), special.at(1)})};
}

System comprehend_system() {
  return trained<ReaderTraining, Own>(
      {.can = {Capability::kAnswer},
       .load = load_model,
       .help = "Train a reader of a dialogue or a text that answers questions on it by a span",
       .footer =
           "--data: a file, a folder with the published parts, or several files with commas, in "
           "the form of CoQA, QuAC, FriendsQA or Molweni. The best model by F1 on the validation "
           "part is kept. docs/comprehension.md goes through it.\n"
           "Examples:\n"
           "  heed train comprehend --data friendsqa --preset smoke --out runs/reader\n"
           "  heed train comprehend --data friendsqa --preset fine-tuned --init models/minilm "
           "--out "
           "runs/tuned --matmul bf16",
       .several_corpora = true});
}

}  // namespace heed::comprehend

template struct heed::RunsOf<heed::comprehend::Own>;
