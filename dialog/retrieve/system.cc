// The system "retrieval": which response answers a context?
#include <cmath>

#include "base/number.h"
#include "dialog/pretrained/encoder.h"
#include "dialog/retrieve/attention.h"
#include "dialog/retrieve/task.h"
#include "dialog/system_runs.h"
#include "dialog/text/format.h"
#include "dialog/training_of.h"
#include "train/run_json.h"
#include "train/setting_rules.h"

namespace heed::retrieve {
namespace {

using pretrained::kFolderInRun;

Settings with_loop(int64_t batch, int epochs, double rate) {
  Settings s;
  s.loop = adam_loop(batch, epochs, rate, /*stop_after=*/2);
  return s;
}

// Wide and without pairs of words: the best of the few forms that were tried
// (docs/results/retrieval.md).
Settings bag(int64_t words, int64_t width, double rate) {
  Settings s = with_loop(200, 5, rate);
  s.model.encoder = "bag";
  s.model.vocab_size = words + kSpecialTokens;
  s.model.embedding_size = s.model.hidden_size = width;
  s.model.buckets = 0;
  s.model.dropout = 0.1;
  s.model.scale = 15;
  return s;
}

Settings production() {
  Settings s = with_loop(100, 10, 0.002);
  s.model.vocab_size = 10000 + kSpecialTokens;
  return s;
}

// Four layers of 300 cells a direction, 16 heads, 200 shared negatives, Adam by Noam's schedule of
// the width 600, whose highest rate is (600 x 4000)^-1/2; 30 epochs of 10,000 batches there.
Settings printed_production() {
  Settings s = with_loop(200, 30, 1 / std::sqrt(600.0 * 4000));
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
  s.loop.schedule.patience = 0;  // the schedule alone lowers the rate
  return s;
}

// 256 cells in one direction, c' M r of the last states, batches of 16.
Settings dstc7() {
  Settings s = with_loop(16, 10, 0.001);
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
  Settings s = with_loop(64, 1, 5e-5);
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

class RankerTraining : public SystemTraining<Own> {
 public:
  using SystemTraining::SystemTraining;

  std::vector<Folder> folders() override { return {{"init", pretrained::kInitHelp, &s_.init}}; }
  void complete() override {
    SystemTraining::complete();
    if (!s_.model.pretrained() || !given("vocab")) return;
    throw UsageError("--vocab: a pretrained encoder brings its sizes");
  }
  void describe(const std::string& run, bool, const Talk& talk) const override {
    const Config& m = s_.model;
    talk.say(run + ": " + m.encoder +
             (m.pretrained() ? " of " + s_.init
                             : ", " + std::to_string(m.hidden_size) + " wide, vocabulary " +
                                   std::to_string(m.vocab_size)) +
             ", " + m.score + ", " + s_.loss + " against " + s_.negatives);
    talk.say(counted(data_.train.size(), "training response") + " and " +
             std::to_string(data_.valid.size()) + " to validate");
    if (data_.cut_contexts + data_.cut_responses == 0) return;
    talk.note("cut: " + counted(data_.cut_contexts, "context") + " of more than " +
              std::to_string(data_.bounds.max_context) + (m.pretrained() ? " pieces" : " words") +
              ", of which the last ones are kept, and " + counted(data_.cut_responses, "response") +
              " of more than " + std::to_string(data_.bounds.max_response) +
              ", of which the first ones");
  }
};

class DualRanker : public VectorRanker {
 public:
  DualRanker(std::shared_ptr<const LoadedRanker> ranker, TextReader reader)
      : ranker_(std::move(ranker)), reader_(std::move(reader)) {}

  Tensor contexts(const Contexts& contexts, int64_t batch, const OnTexts& progress,
                  size_t* cut) const override {
    return encode(DualEncoder::Side::kContexts, tokens_of(contexts, cut), batch, progress);
  }
  Tensor responses(const std::vector<std::string>& texts, int64_t batch, const OnTexts& progress,
                   size_t* cut) const override {
    std::vector<Tokens> tokens;
    for (const std::string& text : texts) tokens.push_back(reader_.response(text, cut));
    return encode(DualEncoder::Side::kResponses, std::move(tokens), batch, progress);
  }
  std::vector<Look> looks(const Contexts& contexts) const override {
    return looks_of(ranker_->model, tokens_of(contexts, nullptr), /*batch=*/64);
  }
  std::vector<std::string> kept(const std::vector<std::string>& context,
                                size_t* cut) const override {
    return reader_.kept(context, cut);
  }
  std::shared_ptr<const Ranker> unbounded() const override {
    return std::make_shared<DualRanker>(ranker_, reader_.unbounded());
  }

 private:
  std::vector<Tokens> tokens_of(const Contexts& contexts, size_t* cut) const {
    std::vector<Tokens> tokens;
    for (const auto& context : contexts) tokens.push_back(reader_.context(context, cut));
    return tokens;
  }
  Tensor encode(DualEncoder::Side side, std::vector<Tokens> texts, int64_t batch,
                const OnTexts& progress) const {
    return ranker_->model.encode(side, std::move(texts), static_cast<size_t>(batch), progress);
  }

  std::shared_ptr<const LoadedRanker> ranker_;
  TextReader reader_;
};

// f_c of a context, before the score makes something of it. A text is read as a context of one
// utterance.
class RankerEncoder : public ContextEncoder {
 public:
  explicit RankerEncoder(std::shared_ptr<const LoadedRanker> ranker) : ranker_(std::move(ranker)) {}

  int64_t width() const override { return ranker_->model.width(); }
  std::vector<int32_t> numbers(const std::string& utterance) const override {
    return ranker_->reader.utterance(utterance);
  }
  Tensor encode(const std::vector<Example>& examples, const EncodeOptions& options) const override {
    return vectors(examples, options,
                   [&](const Example& e) { return ranker_->reader.context_of(e.context); });
  }
  Text read(const std::string& text, int64_t longest) const override {
    const int bound = ranker_->reader.bounds().max_context;  // 0: none
    const char* units = ranker_->model.config().pretrained() ? "pieces" : "words";
    const int64_t most = bound > 0 ? checked_length(longest, bound, units) : longest;
    Text read;
    read.ids = ranker_->reader.last({numbers(text)}, static_cast<int>(most), &read.left_out);
    return read;
  }
  Tensor encode_texts(std::vector<Text> texts, const EncodeOptions& options) const override {
    std::vector<Example> examples(texts.size());
    for (size_t i = 0; i < texts.size(); ++i) examples[i].context = {std::move(texts[i].ids)};
    return vectors(examples, options, [](const Example& e) { return e.context[0]; });
  }

 private:
  Tensor vectors(const std::vector<Example>& examples, const EncodeOptions& options,
                 const std::function<Tokens(const Example&)>& tokens_of) const {
    return encode_in_batches(examples, options, [&](const ExamplePointers& batch) {
      std::vector<Tokens> texts;
      for (const Example* e : batch) texts.push_back(tokens_of(*e));
      return ranker_->model.f(DualEncoder::Side::kContexts, texts);
    });
  }

  std::shared_ptr<const LoadedRanker> ranker_;
};

LoadedSystem load_model(const std::string& directory, const std::string& epoch) {
  const auto ranker = Runs::of_epoch(directory, epoch);
  LoadedSystem loaded = without_bounds(ranker);
  loaded.ranker = std::make_shared<DualRanker>(ranker, ranker->reader);
  loaded.encoder = std::make_shared<RankerEncoder>(ranker);
  if (!ranker->model.config().pretrained()) {
    loaded.vocabulary = std::make_shared<Vocabulary>(ranker->reader.words());
  }
  return loaded;
}

}  // namespace

Negatives parse_negatives(const std::string& name) {
  if (name == "batch") return {};
  constexpr std::string_view kBoth = "batch+", kShared = "shared:";
  std::string_view rest = name;
  const bool of_batch = rest.starts_with(kBoth);
  if (of_batch) rest.remove_prefix(kBoth.size());
  const auto shared =
      rest.starts_with(kShared) ? number_in<int64_t>(rest.substr(kShared.size())) : std::nullopt;
  if (shared && *shared >= 1 && *shared <= kMaxBatch) return {of_batch, *shared};
  throw UsageError("negatives: expected batch, shared:K or batch+shared:K, got '" + name + "'");
}

void Settings::check() const {
  model.check();
  bounds.check();
  loop.check();
  parse_negatives(negatives);
  check_values("retrieval", *this, [](auto& s, auto& v) { visit_training(s, v); });
  if (loop.batch_size < 2 && parse_negatives(negatives).of_batch) {
    throw UsageError("retrieval: the negatives of a batch: expected batches of at least 2, got 1");
  }
  if (insert_prob > 0 && model.pretrained()) {
    throw UsageError("retrieval: insert-prob is not for the encoder pretrained");
  }
  if (attention_weight > 0 && (!model.attends() || insert_prob == 0)) {
    throw UsageError(
        "retrieval: attention-weight is for encoders that pool with attention, with "
        "insert-prob above 0");
  }
  pretrained::check_init(model.encoder, init);
}

std::vector<PresetOf<Settings>> Own::presets() {
  Settings smoke = bag(5000, 64, 0.005);
  smoke.loop.max_epochs = 1;
  smoke.loop.batch_size = 100;
  return {
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
}

TrainData Own::read(const Paths& data, const Settings& s, const std::string& run) {
  return load_train_data(data[0], s, words_of(s.model.pretrained() ? "" : run, s.model.vocab_size),
                         run);
}

void Own::take(Settings& s, const TrainData& data) {
  if (!s.model.pretrained()) s.model.vocab_size = data.vocabulary.size();
}

void Own::keep(const std::string& run, const Settings& s, const TrainData& data) {
  if (s.model.pretrained()) {
    pretrained::keep_encoder(s.init, run);
  } else {
    data.vocabulary.save(in(run, "vocab.txt"));
  }
}

LoadedRanker Own::blank(const std::string& directory, const Settings& s) {
  if (!s.model.pretrained()) {
    Vocabulary words = *words_of(directory, s.model.vocab_size);
    return {DualEncoder(s.model), TextReader(std::move(words), s.bounds)};
  }
  pretrained::Encoder e = pretrained::load_encoder(in(directory, kFolderInRun));
  return {DualEncoder(s.model, std::move(e.model)),
          TextReader(std::move(e.pieces), e.max_length, s.bounds)};
}

System retrieval_system() {
  return trained<RankerTraining, Own>(
      {.can = {Capability::kRank, Capability::kEncode},
       .load = load_model,
       .help = "Train two encoders to choose the response to a context out of many",
       .footer =
           "The best model by R@1 on the validation part is kept: how often a response is put "
           "above "
           "99 others. docs/retrieval.md goes through it.\n"
           "Examples:\n"
           "  heed train retrieval --data data/ubuntu-sample --preset smoke --out runs/ranker\n"
           "  heed train retrieval --data DIR --preset pretrained --init models/minilm --out "
           "runs/tuned --matmul bf16"});
}

}  // namespace heed::retrieve

template struct heed::RunsOf<heed::retrieve::Own>;
