// The system "tracker": what has the user asked for so far?
#include "dialog/track/system.h"

#include "dialog/text/format.h"
#include "dialog/track/settings.h"
#include "dialog/track/task.h"
#include "dialog/training_of.h"
#include "train/model_directory.h"

namespace heed::track {
namespace {

class TrackerTraining : public TrainingOf<Settings> {
 public:
  explicit TrackerTraining(const std::string& preset)
      : TrainingOf(settings_of(find_preset(preset))) {}

  std::vector<Folder> folders() override {
    return {
        {"init",
         "Begin with the weights of this model or run, a tracker, mostly one with softmax heads: "
         "those of its features, and with its words, acts and values",
         &s_.init}};
  }
  void complete() override { s_.check(); }
  void read(const Paths& data, const std::string& run) override {
    if (run.empty() && !s_.init.empty()) {
      for (const char* option : {"embed", "hidden", "act-size", "machine", "vocab", "slots"}) {
        if (!given(option)) continue;
        throw UsageError("--" + std::string(option) + ": with --init it is that of " + s_.init +
                         "; leave the option out");
      }
      take_from_init(s_);
    }
    data_ = load_train_data(data[0], s_, run.empty() ? s_.init : run);
    if (run.empty()) return settle(s_, data_);
    check_same_data(data_.fingerprint == s_.data_fingerprint, data, run);
  }
  void prepare(const Talk&) override { check_memory(parameter_count(s_.model)); }
  void start(const std::string& run, const std::string& made_with) override {
    start_run(run, s_, data_.reader, made_with);
  }
  bool train(const std::string& run, Device device, const TrainHooks& hooks) override {
    return track::train(run, s_, data_, device, hooks);
  }

  void describe(const std::string& run, bool, const Talk& talk) const override {
    const Config& m = s_.model;
    std::string slots;
    for (const Slots::Slot& slot : data_.reader.slots) {
      slots += (slots.empty() ? "" : ", ") + slot.name + " (" +
               std::to_string(slot.end - slot.begin) + ")";
    }
    talk.say(run + ": " + m.output +
             (m.output == "energy" ? " of " + counted(static_cast<size_t>(m.steps), "step") : "") +
             ", " + std::to_string(m.hidden_size) + " cells, " + std::to_string(m.vocab_size) +
             " words; values of " + slots);
    talk.say(counted(data_.train.size(), "training dialogue") + " and " +
             std::to_string(data_.valid.size()) + " to validate");
  }
  std::string step_text(const TrainProgress& p) const override {
    return "joint accuracy " + decimal(value_of(p.metrics, kTrainJoint), 3);
  }
  std::string epoch_text(const EpochLog& e, bool best) const override {
    char text[160];
    std::snprintf(text, sizeof text,
                  "epoch %2d  loss %.4f  joint accuracy %.3f  valid %.3f  set %.3f%s", e.epoch,
                  e.loss, value_of(e.metrics, kTrainJoint), value_of(e.metrics, kValidJoint),
                  value_of(e.metrics, kValidSet), best ? "  best" : "");
    return text;
  }

 private:
  Settings load(const std::string& run) const override { return load_settings(run); }

  TrainData data_;
};

// A context, as user and system in turn, of whom the user spoke last. Its vector is F of that turn;
// there are no acts.
class StateReader : public ContextEncoder {
 public:
  explicit StateReader(std::shared_ptr<const LoadedTracker> tracker)
      : tracker_(std::move(tracker)) {}
  int64_t width() const override { return tracker_->model.config().hidden_size; }
  std::vector<int32_t> numbers(const std::string& utterance) const override {
    return encode_utterance(utterance, tracker_->reader.words);
  }
  Tensor encode(const std::vector<Example>& examples, const EncodeOptions& options) const override {
    const Tracker& model = tracker_->model;
    return encode_in_batches(examples, options, [&](const ExamplePointers& batch) {
      std::vector<Conversation> conversations;
      for (const Example* e : batch) conversations.push_back(conversation_of(*e));
      std::vector<const Conversation*> chosen;
      for (const Conversation& c : conversations) chosen.push_back(&c);
      const TurnBatch turns = make_batch(chosen, model.config(), model.device());
      std::vector<int32_t> last(batch.size());  // the row of each conversation's last turn
      for (size_t r = 0; r < turns.places.size(); ++r) {
        last[turns.places[r].first] = static_cast<int32_t>(r);
      }
      return gather_rows(model.features(turns), Tensor::from(last, model.device()));
    });
  }

 private:
  static Conversation conversation_of(const Example& example) {
    Conversation c;
    const size_t count = example.context.size();
    for (size_t u = (count + 1) % 2; u < count; u += 2) {
      UserTurn& turn = c.turns.emplace_back();
      turn.user = example.context[u];
      if (u > 0) turn.system = example.context[u - 1];
      turn.user.push_back(kEou);
      turn.system.push_back(kEou);
    }
    return c;
  }

  std::shared_ptr<const LoadedTracker> tracker_;
};

LoadedSystem load_model(const std::string& directory, const std::string& epoch) {
  check_epoch(epoch, "a tracker");
  const auto tracker = std::make_shared<LoadedTracker>(load_tracker(directory));
  if (epoch == "untrained") tracker->model = first_tracker(directory, load_settings(directory));
  LoadedSystem loaded{
      .vocabulary = std::make_shared<Vocabulary>(tracker->reader.words),
      .bounds = {.max_turns = 0, .max_utterance_tokens = 0, .max_response_tokens = 0}};
  loaded.module = {tracker, &tracker->model};
  loaded.encoder = std::make_shared<StateReader>(tracker);
  return loaded;
}

}  // namespace

System tracker_system() {
  return {
      .name = kSystem,
      .what = "a tracker of states",
      .can = {Capability::kTag, Capability::kEncode},
      .load = load_model,
      .help = "Train a tracker of what the user has asked for, slot by slot",
      .footer =
          "The dialogues have turns of \"user\" with the label \"state\": `heed prepare woz` and "
          "`heed prepare multiwoz` write them. First a tracker with softmax heads, then an energy "
          "on its features. The best model by joint accuracy on the validation part is kept: how "
          "often all slots are right. docs/tracking.md goes through it.\n"
          "Examples:\n"
          "  heed train tracker --data data/woz2 --out runs/heads\n"
          "  heed train tracker --data data/woz2 --output energy --init runs/heads "
          "--fixed-features "
          ""
          "--out runs/energy",
      .train = new_training<TrackerTraining>,
      .presets = [] { return choice_of(presets(), "laptop", preset_table()); }};
}

}  // namespace heed::track
