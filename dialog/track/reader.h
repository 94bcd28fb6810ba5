// What a tracker reads: the user's turns of a dialogue, each with what the system said before it.
#pragma once

#include <string>
#include <vector>

#include "dialog/track/states.h"

namespace heed::track {

struct UserTurn {
  std::string text;                   // the user's
  std::vector<int32_t> user, system;  // words, each closed by <eou>; of the system since the last
  std::vector<int32_t> acts;          // of the system, in the numbers of Reader::acts
  State state;                        // after it, as the labels say
  bool distraction = false;           // marked as an utterance from elsewhere
};
struct Conversation {
  std::string id;
  std::vector<UserTurn> turns;
};

struct Reader {
  Vocabulary words, acts;  // of acts: "request_food"
  Slots slots;

  // With the words of the dialogues, `vocabulary` of them at most, and their acts.
  static Reader of(const std::vector<Dialogue>& dialogues, int64_t vocabulary, Slots slots);

  UserTurn turn(const std::string& user, const std::string& system,
                const std::vector<std::string>& system_acts) const;
  // The dialogues with a turn of "user"; `which` as of Slots::of(): unless it is empty, those
  // without any value of the slots are left out. `unknown` as of Slots::state().
  std::vector<Conversation> conversations(const std::vector<Dialogue>& dialogues,
                                          std::vector<std::string>& unknown,
                                          const std::string& which = {}) const;
};

constexpr const char* kUser = "user";

}  // namespace heed::track
