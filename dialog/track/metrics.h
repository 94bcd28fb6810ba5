// The accuracy of tracked states, turn by turn.
#pragma once

#include <optional>

#include "dialog/stats/dependence.h"
#include "dialog/track/model.h"

namespace heed::track {

// The score of a turn.
struct TurnScore {
  bool joint = false;   // every slot has its right value (joint goal accuracy)
  bool set = false;     // the values above one half are the right ones, one per slot
  bool change = false;  // the right values change, given the tracked state of the turn before
  std::vector<char> slots = {};  // each slot's value is right
};
// The scores of all turns that are not distractions, conversation by conversation.
std::vector<TurnScore> score(const Slots& slots, const std::vector<Conversation>& conversations,
                             const Beliefs& beliefs);

// Shares over turns, in [0, 1].
struct Accuracy {
  double joint = 0, set = 0, change = 0;
  std::vector<double> slots;
};
Accuracy mean(const std::vector<TurnScore>& scores);

// For each turn that is not a distraction: whether the distraction directly before it left the
// tracked state unchanged; nothing if there is none.
std::vector<std::optional<bool>> survivals(const Slots& slots,
                                           const std::vector<Conversation>& conversations,
                                           const Beliefs& beliefs);

// Rules that learn only the values of the slots.
//
// A value is set if its words occur contiguously in the user's words ([a-z0-9]+, lower case), the
// longest of several, and is kept until another one is set; none and dontcare are not words.
Beliefs string_match(const Slots& slots, const std::vector<Conversation>& conversations);
// Always the most frequent state of these conversations: no constant is right more often.
Beliefs most_frequent(const std::vector<Conversation>& conversations);

// How often a slot has a value, and how often it differs from the turn before, in percent of the
// turns that are not distractions.
struct SlotShares {
  double has_value = 0, changes = 0;
};
std::vector<SlotShares> slot_shares(const Slots& slots,
                                    const std::vector<Conversation>& conversations);

// For each pair of slots (0, 1), (0, 2), (1, 2) .. in the right states, and in the tracked ones, of
// the turns that are not distractions.
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
