#include "dialog/comprehend/system.h"

#include "dialog/comprehend/run.h"
#include "dialog/comprehend/settings.h"
#include "dialog/text/format.h"
#include "dialog/training_of.h"
#include "train/model_directory.h"
#include "train/preset.h"

namespace heed::comprehend {
namespace {

size_t questions_of(const Corpus& corpus) {
  size_t count = 0;
  for (const Passage& p : corpus.passages) count += p.questions.size();
  return count;
}

class ReaderTraining : public TrainingOf<Settings> {
 public:
  explicit ReaderTraining(const std::string& preset) : TrainingOf(find_preset(preset).settings) {
    s_.preset = preset;
  }

  std::vector<Folder> folders() override {
    return {{"init", "Begin with the weights of this model or run, a BERT that heed import made",
             &s_.init}};
  }
  void complete() override {
    if (!given("min-rate")) s_.loop.schedule.min_rate = s_.loop.schedule.rate / 1000;
    s_.check();
  }
  void read(const Paths& data, const std::string& run) override {
    parts_ = read_parts(data, s_.limit);
    const uint32_t print = fingerprint(parts_);
    if (!run.empty()) return check_same_data(print == s_.data_fingerprint, data, run);
    s_.data_fingerprint = print;
  }
  void prepare(const Talk&) override {
    if (s_.init.empty()) {
      const auto h = static_cast<double>(s_.hidden);
      check_memory(static_cast<double>(s_.vocabulary) * h +
                   static_cast<double>(s_.layers) * 12 * h * h);
    }
  }
  void start(const std::string& run, const std::string& made_with) override {
    start_run(run, s_, parts_, made_with);
  }
  bool train(const std::string& run, Device device, const TrainHooks& hooks) override {
    return comprehend::train(run, s_, parts_, device, hooks);
  }
  void describe(const std::string& run, bool, const Talk& talk) const override {
    const Config& m = s_.model;
    talk.say(run + ": " + (s_.init.empty() ? "an encoder from nothing" : s_.init) +
             (m.frozen ? ", frozen" : "") + ", GRUs of " + std::to_string(m.width) + " cells, " +
             std::to_string(m.turns) + " turns before");
    talk.say(counted(questions_of(parts_.train), "training question") + " on " +
             counted(parts_.train.passages.size(), "passage") + " and " +
             std::to_string(questions_of(parts_.valid)) + " to validate");
    if (parts_.train.left_out > 0) {
      talk.note("left out: " + counted(parts_.train.left_out, "question") +
                " of all parts whose answer does not stand in the passage");
    }
  }
  std::string step_text(const TrainProgress& p) const override {
    return "nll " + decimal(value_of(p.metrics, kTrainNll), 3);
  }
  std::string epoch_text(const EpochLog& e, bool best) const override {
    return "epoch " + std::to_string(e.epoch) + "  loss " + decimal(e.loss, 4) + "  valid F1 " +
           decimal(value_of(e.metrics, kValidF1), 3) + "  valid EM " +
           decimal(value_of(e.metrics, kValidExact), 3) + (best ? "  best" : "");
  }

 private:
  Settings load(const std::string& run) const override { return load_settings(run); }

  Parts parts_;
};

LoadedSystem load_comprehend(const std::string& directory, const std::string& epoch) {
  check_epoch(epoch, "a reader of passages");
  const auto reader = std::make_shared<LoadedReader>(
      epoch == "best" ? load_reader(directory) : first_reader(directory, load_settings(directory)));
  LoadedSystem loaded;
  loaded.module = {reader, &reader->model};
  return loaded;
}

}  // namespace

System comprehend_system() {
  return {
      .name = kSystem,
      .what = "a reader of passages",
      .can = {},
      .load = load_comprehend,
      .help = "Train a reader of a dialogue or a text that answers questions on it by a span",
      .footer =
          "--data: a file, a folder with the published parts, or several files with commas, in the "
          "form of CoQA, QuAC, FriendsQA or Molweni. The best model by F1 on the validation part "
          "is kept. docs/comprehension.md goes through it.\n"
          "Examples:\n"
          "  heed train comprehend --data friendsqa --preset smoke --out runs/reader\n"
          "  heed train comprehend --data friendsqa --preset fine-tuned --init models/minilm --out "
          "runs/tuned --matmul bf16",
      .train = new_training<ReaderTraining>,
      .presets =
          [] {
            return choice_of(presets(), "smoke",
                             preset_lines(presets(), [](const Preset& p) { return p.help; }));
          },
      .several_corpora = true};
}

}  // namespace heed::comprehend
