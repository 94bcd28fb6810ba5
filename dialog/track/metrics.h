// How right tracked states are, turn by turn.
#pragma once

#include <optional>

#include "dialog/stats/dependence.h"
#include "dialog/track/model.h"

namespace heed::track {

// Of a turn.
struct TurnScore {
  bool joint = false;   // every slot has its right value (joint goal accuracy)
  bool set = false;     // the values above one half are the right ones, of each slot one
  bool change = false;  // the values that the turn changes, from the state before as it was tracked
  std::vector<char> slots = {};  // each slot's value is right
};
// Of all turns that are no distractions, conversation by conversation.
std::vector<TurnScore> score(const Slots& slots, const std::vector<Conversation>& conversations,
                             const Beliefs& beliefs);

// Shares over turns, in [0, 1].
struct Accuracy {
  double joint = 0, set = 0, change = 0;
  std::vector<double> slots;
};
Accuracy mean(const std::vector<TurnScore>& scores);

// Of each turn that is none: whether the distraction right before it left the tracked state as it
// was; nothing where there is none.
std::vector<std::optional<bool>> survivals(const Slots& slots,
                                           const std::vector<Conversation>& conversations,
                                           const Beliefs& beliefs);

// Rules that learn nothing but the values of the slots.
//
// A value is set if its words stand in the user's words ([a-z0-9]+, lower case) in one piece, of
// several the longest, and is kept until another one is; none and dontcare are no words.
Beliefs string_match(const Slots& slots, const std::vector<Conversation>& conversations);
// Always the most frequent state of these conversations: no constant is right more often.
Beliefs most_frequent(const std::vector<Conversation>& conversations);

// How often a slot has a value, and another one than the turn before, in percent of the turns.
struct SlotShares {
  double has_value = 0, changes = 0;
};
std::vector<SlotShares> slot_shares(const Slots& slots,
                                    const std::vector<Conversation>& conversations);

// Of each pair of slots (0, 1), (0, 2), (1, 2) .. in the right states, and in the tracked ones.
struct PairDependence {
  size_t a, b;
  Dependence right, tracked;
};
std::vector<PairDependence> dependences(const Slots& slots,
                                        const std::vector<Conversation>& conversations,
                                        const Beliefs& beliefs);
// sum |phi of tracked - phi of right|, over the pairs.
double phi_difference(const std::vector<PairDependence>& pairs);

}  // namespace heed::track
