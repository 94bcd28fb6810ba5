// The input of a tracker: the user's turns of a dialogue, each with the system's turns before it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dialog/track/states.h"
#include "tensor/random.h"

namespace heed::track {

struct UserTurn {
  std::string text;                   // the user's
  std::vector<int32_t> user, system;  // words, each closed by <eou>; the system's since the last
  std::vector<int32_t> acts;          // of the system, as ids of Reader::acts
  State state;                        // after it, by the labels; a distraction without one keeps it
  bool distraction = false;           // marked as an utterance from elsewhere
};
struct Conversation {
  std::string id;
  std::vector<UserTurn> turns;
};

struct Reader {
  Vocabulary words, acts;  // of acts: "request_food"
  Slots slots;

  // With at most `vocabulary` words of the dialogues, and their acts.
  static Reader of(const std::vector<Dialogue>& dialogues, int64_t vocabulary, Slots slots);

  UserTurn turn(const std::string& user, const std::string& system,
                const std::vector<std::string>& system_acts) const;
  // The dialogues with a turn of "user"; `which` as in Slots::of(): unless it is empty, or `all`
  // are wanted, dialogues without any value of the slots are left out. `unknown` as in
  // Slots::state(). Throws DataError "PATH:LINE: rule" for a state of a slot of `which` that is
  // none of `slots`, for one of another speaker, and for two values of a slot.
  std::vector<Conversation> conversations(const std::string& path,
                                          const std::vector<Dialogue>& dialogues,
                                          std::vector<std::string>& unknown,
                                          const std::string& which = {}, bool all = false) const;
  // The conversation all[at] with `count` inserted turns of others, see unchanging(). The place of
  // each is uniform over those before the last turn. Throws DataError if there is no such turn.
  Conversation distracted(const std::vector<Conversation>& all, size_t at, int count,
                          Rng& rng) const;
};

// The turns of the user, but for each first one, that changed nothing where they were said, with
// the indices of their conversations; and one as a distraction, behind which the state is `before`.
std::vector<std::pair<size_t, const UserTurn*>> unchanging(const std::vector<Conversation>& all);
UserTurn distraction(const UserTurn& said, const State& before);

constexpr const char* kUser = "user";

}  // namespace heed::track
