#include "dialog/rewrite/system.h"

#include "base/file.h"
#include "dialog/rewrite/settings.h"
#include "dialog/text/format.h"
#include "dialog/training_of.h"
#include "train/model_directory.h"
#include "train/preset.h"

namespace heed::rewrite {
namespace {

class GapTraining : public TrainingOf<Settings> {
 public:
  explicit GapTraining(const std::string& preset) : TrainingOf(settings_of(find_preset(preset))) {}

  void complete() override {
    s_.model.vocab_size = *s_.vocabulary;
    if (!given("min-rate")) s_.loop.schedule.min_rate = s_.loop.schedule.rate / 1000;
    s_.check();
  }
  void read(const Paths& data, const std::string& run) override {
    const DataPart train = read_part(data[0], "train", s_.limit),
                   valid = read_part(data[0], "valid", s_.limit);
    if (run.empty()) {
      data_ = make_train_data(train, valid, s_);
      s_.model.vocab_size = data_.vocabulary.size();
      s_.data_fingerprint = data_.fingerprint();
      return;
    }
    const Vocabulary words = load_vocabulary(file_inside(run, "vocab.txt"), s_.model.vocab_size);
    data_ = make_train_data(train, valid, s_, &words);
    check_same_data(data_.fingerprint() == s_.data_fingerprint, data, run);
  }
  void prepare(const Talk&) override { check_memory(parameter_count(s_.model, s_.bounds)); }
  void start(const std::string& run, const std::string& made_with) override {
    start_run(run, s_, data_.vocabulary, made_with);
  }
  bool train(const std::string& run, Device device, const TrainHooks& hooks) override {
    return rewrite::train(run, s_, data_, device, hooks);
  }

  void describe(const std::string& run, bool, const Talk& talk) const override {
    talk.say(run + ": " + std::to_string(s_.model.hidden_size) +
             " cells in each direction, vocabulary " + std::to_string(s_.model.vocab_size) +
             ", learns " + (s_.loss.learn == "both" ? "to detect and to rank" : s_.loss.learn));
    size_t gaps = 0, answered = 0;
    for (const GapExample& e : data_.train) {
      for (const Gap& gap : e.gaps) ++gaps, answered += e.answer(gap).has_value();
    }
    talk.say(counted(data_.train.size(), "training turn") + " with " + counted(gaps, "gap") +
             ", of which " + std::to_string(answered) + " are filled from the context; " +
             std::to_string(data_.valid.size()) + " to validate");
    if (data_.left_out == 0) return;
    talk.note(counted(data_.left_out, "dialogue") + " left out: no context, or a turn of more " +
              "than " + std::to_string(s_.bounds.max_turn) + " words or Chinese characters");
  }
  std::string step_text(const TrainProgress& p) const override {
    return "loss " + decimal(value_of(p.metrics, kTrainLoss), 3);
  }
  std::string epoch_text(const EpochLog& e, bool best) const override {
    char text[160];
    std::snprintf(text, sizeof text,
                  "epoch %2d  loss %.4f  valid loss %.4f  labels F1 %.3f  P@1 %.3f  exact %.3f%s",
                  e.epoch, value_of(e.metrics, kTrainLoss), value_of(e.metrics, kValidLoss),
                  value_of(e.metrics, kValidF1), value_of(e.metrics, kValidFirst),
                  value_of(e.metrics, kValidExact), best ? "  best" : "");
    return text;
  }

 private:
  Settings load(const std::string& run) const override { return load_settings(run); }

  TrainData data_;
};

// The vector of a context: the last states of the reader in both directions.
class GapReader : public ContextEncoder {
 public:
  explicit GapReader(std::shared_ptr<const LoadedGaps> gaps) : gaps_(std::move(gaps)) {}
  int64_t width() const override { return 2 * gaps_->model.config().hidden_size; }
  std::vector<int32_t> numbers(const std::string& utterance) const override {
    std::vector<int32_t> ids;
    for (const std::string& unit : units(utterance)) {
      ids.push_back(gaps_->vocabulary.id_of_word(unit));
    }
    if (ids.empty()) ids = {kUnk};
    return ids;
  }
  Tensor encode(const std::vector<Example>& examples, const EncodeOptions& options) const override {
    return encode_in_batches(examples, options, [&](const ExamplePointers& batch) {
      std::vector<std::vector<int32_t>> sequences;
      for (const Example* e : batch) {
        auto& ids = sequences.emplace_back();
        for (const auto& utterance : e->context) {
          ids.insert(ids.end(), utterance.begin(), utterance.end());
          ids.push_back(kEou);
        }
      }
      return gaps_->model.read(sequences).last;
    });
  }

 private:
  std::shared_ptr<const LoadedGaps> gaps_;
};

LoadedSystem load_model(const std::string& directory, const std::string& epoch) {
  check_epoch(epoch, "a model of gaps");
  const auto gaps =
      std::make_shared<LoadedGaps>(epoch == "best" ? load_gaps(directory) : first_gaps(directory));
  LoadedSystem loaded{
      .bounds = {.max_turns = 0, .max_utterance_tokens = 0, .max_response_tokens = 0}};
  loaded.module = {gaps, &gaps->model};
  loaded.encoder = std::make_shared<GapReader>(gaps);
  return loaded;
}

}  // namespace

System gaps_system() {
  return {
      .name = kSystem,
      .what = "a model of gaps",
      .can = {Capability::kTag, Capability::kEncode},
      .load = load_model,
      .help = "Train a model that finds what a turn leaves out, and fills it from the context",
      .footer =
          "The dialogues have a label \"rewritten\" on their last turn, as heed prepare rewriting "
          "(Chinese) and heed prepare gaps (English) write it. The best model by the loss on the "
          "validation part is kept. docs/gaps.md goes through it.\n"
          "Example:\n"
          "  heed train gaps --data data/rewriting --preset smoke --out runs/gaps",
      .train = new_training<GapTraining>,
      .presets = [] {
        return choice_of(presets(), "laptop",
                         preset_lines(presets(), [](const Preset& p) { return p.help; }));
      }};
}

}  // namespace heed::rewrite
