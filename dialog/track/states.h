// States of a dialogue: what the user has asked for so far, a value of each slot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dialog/data/dialogue.h"
#include "dialog/text/vocabulary.h"

namespace heed::track {

// A value of each slot, as its place among all values of all slots. Places from Slots::size() on
// are values that training did not have: no tracker can be right about them.
using State = std::vector<int32_t>;

// The slots and their values, one slot after the other: the vector y of a tracker has a number for
// each. "none" is a value of every slot.
class Slots {
 public:
  Slots() = default;
  // Tokens "slot=value" behind the special ones, those of a slot together, as values.txt holds
  // them. Throws DataError "FILE: rule" for others.
  Slots(Vocabulary values, const std::string& file);
  // Those of the labels "state". `which`: names with commas, "restaurant-*" for all that begin so;
  // empty: all. Throws DataError "FILE: rule" if there are none.
  static Slots of(const std::vector<Dialogue>& dialogues, const std::string& which,
                  const std::string& file);

  const Vocabulary& values() const { return values_; }
  int64_t size() const { return values_.size() - kSpecialTokens; }  // N
  size_t count() const { return slots_.size(); }
  struct Slot {
    std::string name;
    int64_t begin = 0, end = 0;  // its places
    int32_t none = -1;
  };
  const Slot& operator[](size_t slot) const { return slots_[slot]; }
  auto begin() const { return slots_.begin(); }
  auto end() const { return slots_.end(); }
  std::string value(int32_t place) const;  // "chinese"; "?" beyond size()

  // The state of labels "slot=value"; other slots do not count. Values that are not known get the
  // places size() + i of `unknown`, to which they are added.
  State state(const std::vector<std::string>& labels, std::vector<std::string>& unknown) const;
  State nothing() const;  // none of every slot
  // {"food": "chinese"}, without none.
  std::vector<std::pair<std::string, std::string>> named(const State& state) const;

 private:
  Vocabulary values_;
  std::vector<Slot> slots_;
};

// Whether a slot is one of `which` (Slots::of()).
bool is_wanted(const std::string& slot, const std::string& which);

}  // namespace heed::track
