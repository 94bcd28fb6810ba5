// The system "hredgan": a response model and a discriminator of its words that learn together. Its
// models are those of its generator.
#include "dialog/respond/system.h"
#include "dialog/discriminate/words/settings.h"
#include "dialog/respond/training.h"

namespace heed::words {
namespace {

class HredganTraining : public RespondTraining {
 public:
  HredganTraining(const std::string& preset, const std::string& form)
      : RespondTraining(preset, form) {
    if (preset != "hredgan-paper") return;
    players_.adversary_decay = 0.99;
    s_.loop.schedule.patience = 0;
  }

  AnySettings settings() override { return AnySettings(both_); }
  void go_on(const std::string& run, const Take& take) override {
    Settings players = load_settings_of(run);
    TrainSettings generator = load(run);
    Both of_run{&generator, &players};
    if (take) take(AnySettings(both_), AnySettings(of_run));
    before_going_on(run, generator);
    s_ = std::move(generator);
    players_ = players;
    s_.check();
  }
  void start(const std::string& run, const std::string& made_with) override {
    save_settings(run, players_);
    RespondTraining::start(run, made_with);
  }
  bool train(const std::string& run, Device device, const TrainHooks& hooks) override {
    return words::train(run, s_, players_, data_, device, hooks);
  }
  void prepare(const Talk& talk) override {
    if (discriminator_alone() && s_.init.empty()) {
      throw UsageError(
          "--generator-steps 0: needs --init RUN, a generator that has learned, as this one does "
          "not");
    }
    RespondTraining::prepare(talk);
    measured_examples(data_, players_);
  }
  std::string step_text(const TrainProgress& p) const override {
    if (!discriminator_alone()) return RespondTraining::step_text(p);
    char text[80];
    std::snprintf(text, sizeof text, "told %.3f  rate %g", value_of(p.metrics, kTrainTold), p.rate);
    return text;
  }
  std::string epoch_text(const EpochLog& e, bool best) const override {
    char begin[80], text[120];
    std::snprintf(begin, sizeof begin, "epoch %2d  loss %7.3f  rate %g%s", e.epoch, e.loss, e.rate,
                  best ? "  best" : "");
    std::snprintf(text, sizeof text, "  told %.3f  AUC %.3f (taught) %.3f (free)",
                  value_of(e.metrics, kTold), value_of(e.metrics, kAucTaught),
                  value_of(e.metrics, kAucFree));
    return (discriminator_alone() ? std::string(begin) : RespondTraining::epoch_text(e, best)) +
           text;
  }

 private:
  bool discriminator_alone() const { return players_.generator_steps == 0; }

  Settings players_;
  Both both_{&s_, &players_};
};

}  // namespace

System hredgan_system() {
  System system = respond_system();
  system.name = "hredgan";
  system.what = "a run of heed train hredgan";
  system.load = {};
  system.help = "Train a response model and a discriminator of its words side by side";
  system.footer =
      "A line is an epoch: beside the perplexities the share of real and drawn words of the "
      "validation part that the discriminator tells right, and the area under the ROC curve of its "
      "scores: between what was said and words drawn behind it (taught), and between that and the "
      "model's own answers (free). The discriminator ranks answers: heed respond --best-of 64 "
      "--rank D. docs/generators.md\n"
      "Example:\n"
      "  heed train hredgan --noise utterance --data data/ubuntu-sample --preset smoke --out "
      "runs/hredgan";
  system.train = new_training<HredganTraining>;
  system.forms = [] {
    return System::Choice{{"hred-attention-current", "hred-attention", "hred-gru"},
                          "hred-attention-current",
                          "hred-attention-current, hred-attention, hred-gru"};
  };
  system.files = files_of<Settings>([](auto& s, auto& v) { visit_players(s, v); });
  system.ranks = false;
  return system;
}

}  // namespace heed::words
