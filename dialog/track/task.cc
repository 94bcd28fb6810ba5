#include "dialog/track/task.h"

#include <algorithm>

#include "dialog/data/corpus.h"
#include "dialog/data/fail_at.h"
#include "dialog/data/formats/published.h"
#include "train/run_json.h"

namespace heed::track {
namespace {

// Whether a turn has the state, "food=thai".
bool has_state(const Dialogue& dialogue, const std::string& state) {
  return std::any_of(dialogue.turns.begin(), dialogue.turns.end(), [&](const Turn& turn) {
    return std::ranges::count(values_in(turn.notes->labels, "state"), state, label_value) > 0;
  });
}

// What the functions of the task refer to.
struct Learning {
  const Tracker& model;
  const TrainData& data;
  int64_t batch_size;

  Loss loss(const std::vector<int64_t>& examples, const StepKey& key) const {
    std::vector<const Conversation*> chosen;
    for (const int64_t i : examples) chosen.push_back(&data.train[i]);
    const TurnBatch batch = make_batch(chosen, model.config(), model.device());
    const Slots& slots = data.reader.slots;
    const Tracker::Output out =
        model(batch, &slots, DropoutMode{model.config().dropout, key.seed, key.number()});
    Loss loss{.total = out.loss};
    const std::vector<double> y = out.logits.value().to_vector();
    double right = 0;
    for (size_t r = 0; r < batch.turns.size(); ++r) {
      const auto row = y.begin() + static_cast<ptrdiff_t>(r) * slots.size();
      bool all = true;
      for (size_t s = 0; s < slots.count(); ++s) {
        const auto best = std::max_element(row + slots[s].begin, row + slots[s].end);
        all = all && best - row == batch.turns[r]->state[s];
      }
      right += all;
      loss.tokens += std::ssize(batch.turns[r]->user);
    }
    loss.nll = loss.total.value().item();
    loss.counts = {{"right", right}, {"turns", static_cast<double>(batch.turns.size())}};
    return loss;
  }
  static Metrics measure(const Counts& counts) {
    return {{kTrainJoint, counts.at("right") / counts.at("turns"), true}};
  }
  Metrics validate(const OnValidation& on_batch) const {
    const Slots& slots = data.reader.slots;
    const Beliefs beliefs = track(model, slots, data.valid, batch_size, on_batch);
    const Accuracy a = mean(score(slots, data.valid, beliefs));
    return {{kValidJoint, a.joint, true}, {kValidSet, a.set, true}, {kValidChange, a.change, true}};
  }
};

}  // namespace

TrainData load_train_data(const std::string& directory, const Settings& s,
                          const std::string& from) {
  const Reading reading{.limit = s.limit, .notes = true};
  const auto [path, dialogues] = read_part(directory, "train", reading);
  TrainData data;
  if (from.empty()) {
    data.reader = Reader::of(dialogues, s.vocabulary.value_or(s.model.vocab_size),
                             Slots::of(dialogues, s.model.slots, path));
  } else {
    data.reader = Own::blank(from, Runs::config(from)).reader;
  }
  if (s.model.machine == "acts" && data.reader.acts.size() == kSpecialTokens) {
    throw DataError(path +
                    ": no turn of the system has a label \"act\", which --machine acts "
                    "reads; --machine text reads its words");
  }
  std::vector<std::string> unknown;
  data.train = data.reader.conversations(path, dialogues, unknown, s.model.slots);
  if (!unknown.empty()) {
    const auto has_it = [&](const Dialogue& d) { return has_state(d, unknown[0]); };
    const auto found = std::find_if(dialogues.begin(), dialogues.end(), has_it);
    fail_at(path, static_cast<size_t>(found - dialogues.begin()),
            "the value '" + unknown[0] + "' is none of " + from);
  }
  const auto [valid, to_validate] = read_part(directory, "valid", reading);
  data.valid = data.reader.conversations(valid, to_validate, unknown, s.model.slots);
  for (const auto& [part, file] : {std::pair(&data.train, path), std::pair(&data.valid, valid)}) {
    if (!part->empty()) continue;
    throw DataError(file + ": no dialogue has turns of \"" + kUser + "\"" +
                    (s.model.slots.empty() ? "" : " and a value of '" + s.model.slots + "'"));
  }
  return data;
}

uint32_t fingerprint(const std::vector<Conversation>& conversations, uint32_t crc) {
  for (const Conversation& c : conversations) {
    crc = checksum(std::to_string(c.turns.size()) + " ", crc);
    for (const UserTurn& turn : c.turns) {
      for (const auto* numbers : {&turn.user, &turn.system, &turn.acts, &turn.state}) {
        crc = heed::fingerprint(*numbers, crc);
      }
    }
  }
  return crc;
}

uint32_t TrainData::fingerprint() const {
  return track::fingerprint(valid, track::fingerprint(train));
}

void take_from_init(Settings& s) {
  const Config from = Runs::config(s.init).model;
  s.model.embedding_size = from.embedding_size;
  s.model.hidden_size = from.hidden_size;
  s.model.act_size = from.act_size;
  s.model.machine = from.machine;
  s.model.slots = from.slots;
  s.model.words = from.words;
}

Task Own::task(Loaded& loaded, const Settings& s, const TrainData& data) {
  std::vector<int64_t> sizes, turns;
  for (const Conversation& c : data.train) {
    int64_t words = 0;
    for (const UserTurn& turn : c.turns) {
      words += std::ssize(turn.user) + (s.model.machine == "text" ? std::ssize(turn.system) : 0);
    }
    sizes.push_back(words);
    turns.push_back(std::ssize(c.turns));
  }
  Task task =
      task_of(loaded.model, std::move(sizes),
              std::make_shared<const Learning>(Learning{loaded.model, data, s.loop.batch_size}));
  task.weights = std::move(turns);
  return task;
}

}  // namespace heed::track
