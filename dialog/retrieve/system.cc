#include "dialog/retrieve/system.h"

#include "base/file.h"
#include "dialog/pretrained/encoder.h"
#include "dialog/retrieve/attention.h"
#include "dialog/retrieve/settings.h"
#include "dialog/retrieve/task.h"
#include "dialog/text/format.h"
#include "dialog/training_of.h"
#include "train/model_directory.h"

namespace heed::retrieve {
namespace {

class RankerTraining : public TrainingOf<Settings> {
 public:
  explicit RankerTraining(const std::string& preset)
      : TrainingOf(settings_of(find_preset(preset))) {}

  std::vector<Folder> folders() override { return {{"init", pretrained::kInitHelp, &s_.init}}; }
  void complete() override {
    s_.model.vocab_size = *s_.vocabulary;
    if (!given("min-rate")) s_.loop.schedule.min_rate = s_.loop.schedule.rate / 1000;
    s_.check();
  }

  void read(const Paths& data, const std::string& run) override {
    const bool words = !run.empty() && !s_.model.pretrained();
    const Vocabulary of_run =
        words ? load_vocabulary(file_inside(run, "vocab.txt"), s_.model.vocab_size) : Vocabulary();
    data_ = load_train_data(data[0], s_, words ? &of_run : nullptr, run);
    if (!run.empty()) {
      return check_same_data(data_.fingerprint() == s_.data_fingerprint, data, run);
    }
    if (!s_.model.pretrained()) s_.model.vocab_size = data_.vocabulary.size();
    s_.data_fingerprint = data_.fingerprint();
  }
  void prepare(const Talk&) override { check_memory(parameter_count(s_.model)); }
  void start(const std::string& run, const std::string& made_with) override {
    start_run(run, s_, data_.vocabulary, made_with);
  }
  bool train(const std::string& run, Device device, const TrainHooks& hooks) override {
    return retrieve::train(run, s_, data_, device, hooks);
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
              std::to_string(s_.bounds.max_context) +
              " words, of which the last ones are kept, and " +
              counted(data_.cut_responses, "response") + " of more than " +
              std::to_string(s_.bounds.max_response) + ", of which the first ones");
  }
  std::string step_text(const TrainProgress& p) const override {
    return "R@1 of the batch " + decimal(value_of(p.metrics, kTrainFirst), 3);
  }
  std::string epoch_text(const EpochLog& e, bool best) const override {
    char text[160];
    std::snprintf(text, sizeof text,
                  "epoch %2d  loss %.4f  R@1 of the batch %.3f  valid R@1 %.3f  valid MRR %.3f%s",
                  e.epoch, e.loss, value_of(e.metrics, kTrainFirst),
                  value_of(e.metrics, kValidFirst), value_of(e.metrics, kValidReciprocal),
                  best ? "  best" : "");
    return text;
  }

 private:
  Settings load(const std::string& run) const override { return load_settings(run); }

  TrainData data_;
};

class DualRanker : public VectorRanker {
 public:
  explicit DualRanker(std::shared_ptr<const LoadedRanker> ranker) : ranker_(std::move(ranker)) {}

  Tensor contexts(const Contexts& contexts, int64_t batch, const OnTexts& progress,
                  size_t* cut) const override {
    return encode(DualEncoder::Side::kContexts, tokens_of(contexts, cut), batch, progress);
  }
  Tensor responses(const std::vector<std::string>& texts, int64_t batch, const OnTexts& progress,
                   size_t* cut) const override {
    std::vector<Tokens> tokens;
    for (const std::string& text : texts) tokens.push_back(ranker_->reader.response(text, cut));
    return encode(DualEncoder::Side::kResponses, tokens, batch, progress);
  }
  std::vector<Look> looks(const Contexts& contexts) const override {
    return looks_of(ranker_->model, tokens_of(contexts, nullptr), /*batch=*/64);
  }

 private:
  std::vector<Tokens> tokens_of(const Contexts& contexts, size_t* cut) const {
    std::vector<Tokens> tokens;
    for (const auto& context : contexts) tokens.push_back(ranker_->reader.context(context, cut));
    return tokens;
  }
  Tensor encode(DualEncoder::Side side, const std::vector<Tokens>& texts, int64_t batch,
                const OnTexts& progress) const {
    return ranker_->model.encode(side, texts, static_cast<size_t>(batch), progress);
  }

  std::shared_ptr<const LoadedRanker> ranker_;
};

LoadedSystem load_retrieval(const std::string& directory, const std::string& epoch) {
  check_epoch(epoch, "a ranker");
  const auto ranker = std::make_shared<LoadedRanker>(
      epoch == "best" ? load_ranker(directory) : first_ranker(directory, load_settings(directory)));
  LoadedSystem loaded{
      .bounds = {.max_turns = 0, .max_utterance_tokens = 0, .max_response_tokens = 0}};
  loaded.module = {ranker, &ranker->model};
  loaded.ranker = std::make_shared<DualRanker>(ranker);
  if (!ranker->model.config().pretrained()) {
    loaded.vocabulary = std::make_shared<Vocabulary>(ranker->reader.words());
  }
  return loaded;
}

}  // namespace

System retrieval_system() {
  return {
      .name = kSystem,
      .what = "a ranker",
      .can = {Capability::kRank},
      .load = load_retrieval,
      .help = "Train two encoders to choose the response to a context out of many",
      .footer =
          "The best model by R@1 on the validation part is kept: how often a response is put above "
          "99 others. docs/retrieval.md goes through it.\n"
          "Examples:\n"
          "  heed train retrieval --data data/ubuntu-sample --preset smoke --out runs/ranker\n"
          "  heed train retrieval --data DIR --preset pretrained --init models/minilm --out "
          "runs/tuned --matmul bf16",
      .train = new_training<RankerTraining>,
      .presets = [] { return choice_of(presets(), "repository", preset_table()); }};
}

}  // namespace heed::retrieve
