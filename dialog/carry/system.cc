#include "dialog/carry/system.h"

#include "base/file.h"
#include "dialog/carry/settings.h"
#include "dialog/carry/task.h"
#include "dialog/text/format.h"
#include "dialog/training_of.h"
#include "train/model_directory.h"

namespace heed::carry {
namespace {

class CarryoverTraining : public TrainingOf<Settings> {
 public:
  explicit CarryoverTraining(const std::string& preset)
      : TrainingOf(settings_of(find_preset(preset))) {}

  void complete() override {
    s_.model.vocab_size = *s_.vocabulary;
    s_.check();
  }

  void read(const Paths& data, const std::string& run) override {
    if (run.empty()) {
      data_ = load_train_data(data[0], s_);
      s_.model.vocab_size = data_.vocabulary.size();
      s_.data_fingerprint = data_.fingerprint();
      return;
    }
    const Vocabulary words = load_vocabulary(file_inside(run, "vocab.txt"), s_.model.vocab_size);
    data_ = load_train_data(data[0], s_, &words);
    check_same_data(data_.fingerprint() == s_.data_fingerprint, data, run);
  }
  void prepare(const Talk&) override { check_memory(parameter_count(s_.model)); }
  void start(const std::string& run, const std::string& made_with) override {
    start_run(run, s_, data_.vocabulary, made_with);
  }
  bool train(const std::string& run, Device device, const TrainHooks& hooks) override {
    return carry::train(run, s_, data_, device, hooks);
  }

  void describe(const std::string& run, bool, const Talk& talk) const override {
    const Config& m = s_.model;
    const std::string order = m.decoder == kPointer ? ", order " + m.order : "";
    talk.say(run + ": " + m.decoder + order + ", " + std::to_string(m.vocab_size) + " words, " +
             std::to_string(m.hidden_size) + " cells in each direction");
    talk.say(counted(data_.train.size(), "training item") + " and " +
             std::to_string(data_.valid.size()) + " to validate");
    if (data_.empty > 0) {
      talk.note("left out: " + counted(data_.empty, "training item") + " without a candidate");
    }
  }
  std::string step_text(const TrainProgress& p) const override {
    return "loss " + decimal(value_of(p.metrics, kTrainLoss), 3);
  }
  std::string epoch_text(const EpochLog& e, bool best) const override {
    char text[160];
    std::snprintf(text, sizeof text, "epoch %2d  loss %.4f  valid F1 %.4f  distance >= 1 %.4f%s",
                  e.epoch, e.loss, value_of(e.metrics, kValidF1), value_of(e.metrics, kValidFarF1),
                  best ? "  best" : "");
    return text;
  }

 private:
  Settings load(const std::string& run) const override { return load_settings(run); }

  TrainData data_;
};

// A context as the turns of two speakers in turn; its vector is [fwd_T; bwd_1].
class ContextReader : public ContextEncoder {
 public:
  ContextReader(const Carryover& model, const Vocabulary& words) : model_(model), words_(words) {}
  int64_t width() const override { return 2 * model_.config().hidden_size; }
  std::vector<int32_t> numbers(const std::string& utterance) const override {
    return encode_utterance(utterance, words_);
  }
  Tensor encode(const std::vector<Example>& examples, const EncodeOptions& options) const override {
    return encode_in_batches(examples, options, [&](const ExamplePointers& batch) {
      std::vector<std::vector<int32_t>> contexts;
      for (const Example* e : batch) contexts.push_back(tokens_of(e->context));
      return model_.contexts(pack(contexts, model_.device()));
    });
  }

 private:
  std::vector<int32_t> tokens_of(const std::vector<std::vector<int32_t>>& context) const {
    std::vector<int32_t> tokens;
    for (size_t u = 0; u < context.size(); ++u) {
      const bool other = (context.size() - 1 - u) % 2 == 1;
      tokens.push_back(words_.size() + other);
      tokens.insert(tokens.end(), context[u].begin(), context[u].end());
      tokens.push_back(kEou);
    }
    return tokens;
  }

  const Carryover& model_;
  const Vocabulary& words_;
};

LoadedSystem load_model(const std::string& directory, const std::string& epoch) {
  check_epoch(epoch, "slot carryover");
  const auto model = std::make_shared<LoadedCarryover>(
      epoch == "best" ? load_carryover(directory) : first_carryover(directory));
  LoadedSystem loaded{
      .vocabulary = {model, &model->vocabulary},
      .bounds = {.max_turns = 0, .max_utterance_tokens = 0, .max_response_tokens = 0}};
  loaded.module = {model, &model->model};
  loaded.encoder = std::make_shared<ContextReader>(model->model, model->vocabulary);
  return loaded;
}

}  // namespace

System carryover_system() {
  return {
      .name = kSystem,
      .what = "slot carryover",
      .can = {Capability::kTag, Capability::kEncode},
      .load = load_model,
      .help = "Train a model to say which values of a dialogue still hold",
      .footer =
          "--data is a directory of items, which heed prepare carryover makes: dialogues, the "
          "values mentioned in them, and which of these hold at the last turn. The best model by "
          "F1 on the validation part is kept. docs/carryover.md goes through it.\n"
          "Examples:\n"
          "  heed train carryover --data data/sgd-items --preset laptop --share 0.1 --out "
          "runs/carry\n"
          "  heed train carryover --data data/sgd-items --decoder pointer --order turn "
          "--out runs/pointer",
      .train = new_training<CarryoverTraining>,
      .presets = [] { return choice_of(presets(), "laptop", preset_table()); },
      .forms = [] { return System::Choice{}; }};
}

}  // namespace heed::carry
