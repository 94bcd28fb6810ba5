// The system "tracker": what has the user asked for so far?
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/list.h"
#include "base/path.h"
#include "dialog/system_runs.h"
#include "dialog/text/format.h"
#include "dialog/text/terminal.h"
#include "dialog/track/task.h"
#include "dialog/training_of.h"
#include "nn/count.h"
#include "train/run_json.h"

namespace heed::track {
namespace {

constexpr const char *kActs = "acts.txt", *kValues = "values.txt", *kInit = "init.safetensors",
                     *kFeatures = "features.";

// What the paper leaves open: batches of 32 dialogues, the end after five epochs without a better
// joint accuracy on the validation part.
Settings sized(int64_t width, int64_t words, int epochs, double rate, double inner_rate) {
  Settings s;
  s.model.vocab_size = 25000;
  s.model.embedding_size = s.model.act_size = words;
  s.model.hidden_size = width;
  s.model.inner_rate = inner_rate;
  s.loop = adam_loop(32, epochs, rate, /*stop_after=*/5);
  s.loop.schedule.min_rate = s.loop.schedule.patience = 0;
  return s;
}

// Whether a run begins with a tracker, and not with an encoder or nothing.
bool begins_with_tracker(const Settings& s) {
  return !s.init.empty() && system_of(s.init).name == Own::kNames.command;
}

// Copies the parameters that stand below "features." in a file, all of them.
void take_features(const std::string& path, Tracker& model) {
  const TensorMap tensors = load_tensors(path);
  for (const NamedParameter& p : parameters(model)) {
    if (!p.name.starts_with(kFeatures)) continue;
    const auto found = tensors.find(p.name);
    if (found == tensors.end() || found->second.shape() != p.var.shape()) {
      throw DataError(path + ": has no '" + p.name + "' of shape " + p.var.shape().str());
    }
    p.var.set_value(found->second);
  }
}

uint32_t labels_fingerprint(const Reader& reader) {
  return fingerprint(reader.slots.values(), fingerprint(reader.acts));
}

class TrackerTraining : public SystemTraining<Own> {
 public:
  using SystemTraining::SystemTraining;

  std::vector<Folder> folders() override {
    return {{"init",
             "Begin with the weights of this model or run: the features of a tracker, with its "
             "words, acts and values; or a BERT that heed import made (--encoder pretrained)",
             &s_.init}};
  }
  void complete() override {
    SystemTraining::complete();
    if (!begins_with_tracker(s_)) pretrained::take_encoder(s_, given);
  }
  void read(const Paths& data, const std::string& run) override {
    if (run.empty() && begins_with_tracker(s_)) {
      for (const char* option :
           {"embed", "hidden", "act-size", "machine", "vocab", "slots", "encoder", "frozen"}) {
        if (!given(option)) continue;
        throw UsageError("--" + std::string(option) + ": with --init it is that of " + s_.init +
                         "; leave the option out");
      }
      take_from_init(s_);
      pretrained::take_rate(s_, given);
    } else if (run.empty()) {
      if (!s_.init.empty() && !s_.model.words.pretrained()) {
        throw UsageError("--init: " + s_.init + " is no tracker, and --encoder is not pretrained");
      }
      pretrained::check_init(s_.model.words.encoder, s_.init);
      if (s_.fixed_features) {
        throw UsageError("--fixed-features: " + s_.init + " is no tracker, which has features");
      }
    }
    SystemTraining::read(data, run);
  }
  void describe(const std::string& run, bool, const Talk& talk) const override {
    const Config& m = s_.model;
    const std::string slots = joined(data_.reader.slots, ", ", [](const Slots::Slot& slot) {
      return printable(slot.name) + " (" + std::to_string(slot.end - slot.begin) + ")";
    });
    talk.say(run + ": " + m.output +
             (m.output == "energy" ? " of " + counted(m.steps, "step") : "") + ", " +
             std::to_string(m.hidden_size) + " cells, " + std::to_string(m.vocab_size) +
             " words; values of " + slots);
    talk.say(counted(data_.train.size(), "training dialogue") + " and " +
             std::to_string(data_.valid.size()) + " to validate");
  }
};

// A context, as user and system in turn, of whom the user spoke last; there are no acts.
Conversation conversation_of(const Example& example) {
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

// F of the last turn.
Var vectors_of(const Tracker& model, const ExamplePointers& batch) {
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
}

LoadedSystem load_model(const std::string& directory, const std::string& epoch) {
  const auto tracker = Runs::of_epoch(directory, epoch);
  LoadedSystem loaded = without_bounds(tracker);
  loaded.vocabulary = {tracker, &tracker->reader.words};
  loaded.tagger = annotator(tracker);
  loaded.encoder = make_encoder(
      tracker->model.config().hidden_size,
      [tracker](const std::string& text) { return encode_utterance(text, tracker->reader.words); },
      [tracker](const ExamplePointers& batch) { return vectors_of(tracker->model, batch); });
  return loaded;
}

}  // namespace

void Settings::check() const {
  loop.check();
  if (model.words.pretrained()) pretrained::check_init(model.words.encoder, init);
  if (fixed_features && init.empty()) {
    throw UsageError("--fixed-features needs --init: a tracker whose features stay as they are");
  }
  if (model.independent && model.output != "energy") {
    throw UsageError("--independent is for --output energy");
  }
}

std::vector<PresetOf<Settings>> Own::presets() {
  return {{"paper", sized(128, 300, 100, 0.001, 0.001),
           "as printed: LSTMs of 128 cells, words and acts 300 wide"},
          {"laptop", sized(64, 64, 100, 0.01, 0.1), "LSTMs of 64 cells, words and acts 64 wide"},
          {"smoke", sized(24, 24, 4, 0.01, 0.1), "24 wide, 4 epochs; seconds"}};
}

TrainData Own::read(const Paths& data, const Settings& s, const std::string& run) {
  return load_train_data(data[0], s, !run.empty() || !begins_with_tracker(s) ? run : s.init);
}

void Own::take(Settings& s, const TrainData& data) {
  s.model.vocab_size = data.reader.words.size();
  s.model.act_count = data.reader.acts.size() - kSpecialTokens;
  s.model.values = data.reader.slots.size();
  s.model.check();
  s.labels_fingerprint = labels_fingerprint(data.reader);
}

void Own::keep(const std::string& run, const Settings& s, const TrainData& data) {
  pretrained::keep_words(run, s.model.words, s.init, data.reader.words);
  data.reader.acts.save(in(run, kActs));
  data.reader.slots.values().save(in(run, kValues));
  std::filesystem::remove(in(run, kInit));  // what is left of a start that was killed
  if (!begins_with_tracker(s)) return;
  copy_model_file(weights_of(s.init, size(Runs::config(s.init))), in(run, kInit));
}

double Own::size(const Settings& s) {
  return count_parameters(1, [&](int64_t) { return std::make_unique<Tracker>(s.model); });
}

LoadedTracker Own::blank(const std::string& directory, const Settings& s) {
  const auto load = [&](const char* name, int64_t size) {
    return load_vocabulary(file_inside(directory, name), size);
  };
  Reader reader = {
      load_words(directory, s.model.vocab_size), load(kActs, s.model.act_count + kSpecialTokens),
      Slots(load(kValues, s.model.values + kSpecialTokens), file_inside(directory, kValues))};
  check_lines(directory, std::string(kActs) + " or " + kValues, kLabelsFingerprint,
              labels_fingerprint(reader));
  auto read = pretrained::words_in(directory, s.model.words, s.model.embedding_size, reader.words);
  return {Tracker(s.model, std::move(read)), std::move(reader)};
}

void Own::draw(LoadedTracker& loaded, const std::string& run, const Settings& s) {
  init(loaded.model, s.loop.seed);
  if (std::filesystem::exists(in(run, kInit))) take_features(in(run, kInit), loaded.model);
  if (s.fixed_features) freeze(loaded.model, "features");
}

System tracker_system() {
  return trained<TrackerTraining, Own>(
      {.can = {Capability::kTag, Capability::kEncode},
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
           "--fixed-features --out runs/energy"});
}

}  // namespace heed::track

template struct heed::RunsOf<heed::track::Own>;
