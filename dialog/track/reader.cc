#include "dialog/track/reader.h"

#include <map>

#include "dialog/data/example.h"
#include "dialog/data/fail_at.h"

namespace heed::track {
namespace {

constexpr int64_t kMostActs = 2000;  // that are told apart

std::vector<int32_t> closed(const std::string& text, const Vocabulary& words) {
  std::vector<int32_t> tokens;
  if (!is_blank(text)) tokens = encode_utterance(text, words);
  tokens.push_back(kEou);
  return tokens;
}

// Throws for a state that is not the user's, for two values of a slot, for another slot than those
// of the tracker and those that it leaves out, and for an act that acts.txt could not hold.
void check_state(const std::string& path, size_t dialogue, const Turn& turn, const Slots& slots,
                 const std::string& which) {
  for (const std::string& act : values_in(turn.notes->labels, "act")) {
    if (act.find('\0') != act.npos) fail_at(path, dialogue, "an act has no zero byte");
  }
  std::map<std::string, std::string> values;  // of each slot
  for (const std::string& label : values_in(turn.notes->labels, "state")) {
    if (turn.speaker != kUser) {
      fail_at(path, dialogue, "a state is of a turn of \"user\", not of '" + turn.speaker + "'");
    }
    const auto [slot, value] = read_state_label(label, path, dialogue);
    const std::string& first = values.emplace(slot, value).first->second;
    if (slots.has(slot) && first != value) {
      fail_at(path, dialogue,
              "a state has one value of a slot, and '" + slot + "' has '" + first + "' and '" +
                  value + "'");
    }
    if (slots.has(slot) || !is_wanted(slot, which)) continue;
    fail_at(path, dialogue,
            "the state '" + label + "' is of a slot that the tracker does not know" +
                (which.empty() ? "; heed train tracker --slots chooses slots" : ""));
  }
}

}  // namespace

Reader Reader::of(const std::vector<Dialogue>& dialogues, int64_t vocabulary, Slots slots) {
  TokenCounts acts;
  for (const Dialogue& dialogue : dialogues) {
    for (const Turn& turn : dialogue.turns) {
      if (turn.speaker == kUser) continue;
      for (const std::string& act : values_in(turn.notes->labels, "act")) {
        if (const std::string name = label_value(act); !name.empty()) ++acts[name];
      }
    }
  }
  return {Vocabulary::build(count_tokens(dialogues), {.max_size = vocabulary}),
          Vocabulary::build(acts, {.max_size = kMostActs}), std::move(slots)};
}

UserTurn Reader::turn(const std::string& user, const std::string& system,
                      const std::vector<std::string>& system_acts) const {
  UserTurn turn{user, closed(user, words), closed(system, words), {}, slots.nothing()};
  for (const std::string& act : system_acts) {
    const int32_t id = acts.id(label_value(act));
    if (id >= kSpecialTokens) turn.acts.push_back(id - kSpecialTokens);
  }
  return turn;
}

std::vector<Conversation> Reader::conversations(const std::string& path,
                                                const std::vector<Dialogue>& dialogues,
                                                std::vector<std::string>& unknown,
                                                const std::string& which, bool all) const {
  std::vector<Conversation> result;
  for (size_t n = 0; n < dialogues.size(); ++n) {
    Conversation read{dialogues[n].id, {}};
    std::string system;
    std::vector<std::string> acts;
    State state = slots.nothing();
    bool wanted = which.empty() || all;
    for (const Turn& said : dialogues[n].turns) {
      check_state(path, n, said, slots, which);
      if (said.speaker != kUser) {
        system += (system.empty() ? "" : " ") + said.text;
        const auto& more = values_in(said.notes->labels, "act");
        acts.insert(acts.end(), more.begin(), more.end());
        continue;
      }
      UserTurn& turn = read.turns.emplace_back(this->turn(said.text, system, acts));
      turn.distraction = said.distraction;
      if (!said.distraction || said.notes->labels.contains("state")) {
        state = slots.state(values_in(said.notes->labels, "state"), unknown);
      }
      turn.state = state;
      wanted = wanted || state != slots.nothing();
      system.clear();
      acts.clear();
    }
    if (!read.turns.empty() && wanted) result.push_back(std::move(read));
  }
  return result;
}

std::vector<std::pair<size_t, const UserTurn*>> unchanging(const std::vector<Conversation>& all) {
  std::vector<std::pair<size_t, const UserTurn*>> turns;
  for (size_t c = 0; c < all.size(); ++c) {
    for (size_t t = 1; t < all[c].turns.size(); ++t) {
      const UserTurn& turn = all[c].turns[t];
      if (turn.state == all[c].turns[t - 1].state) turns.emplace_back(c, &turn);
    }
  }
  return turns;
}

UserTurn distraction(const UserTurn& said, const State& before) {
  return {said.text, said.user, {kEou}, {}, before, /*distraction=*/true};
}

Conversation Reader::distracted(const std::vector<Conversation>& all, size_t at, int count,
                                Rng& rng) const {
  Conversation c = all[at];
  if (count == 0) return c;
  auto pool = unchanging(all);
  std::erase_if(pool, [&](const auto& turn) { return turn.first == at; });
  if (pool.empty()) {
    throw DataError(
        "distractions are turns of other dialogues that change nothing, and there is none");
  }
  for (int i = 0; i < count; ++i) {
    const UserTurn& said = *pool[rng.below(pool.size())].second;
    const size_t place = rng.below(c.turns.size());
    const State before = place == 0 ? slots.nothing() : c.turns[place - 1].state;
    c.turns.insert(c.turns.begin() + static_cast<ptrdiff_t>(place), distraction(said, before));
  }
  return c;
}

}  // namespace heed::track
