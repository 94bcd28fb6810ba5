// Dialogue states: what the user has asked for so far, one value for each slot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dialog/data/dialogue.h"
#include "dialog/data/formats/published.h"
#include "dialog/text/vocabulary.h"

namespace heed::track {

// A value for each slot, as an index among all values of all slots. Indices from Slots::size() on
// are values that do not occur in training: no tracker can be right about them.
using State = std::vector<int32_t>;

// The slots and their values, one slot after the other: a tracker's vector y has a number for each.
// "none" is a value of every slot.
class Slots {
 public:
  Slots() = default;
  // Tokens "slot=value" after the special ones, those of a slot contiguous, as in values.txt.
  // Throws DataError "FILE: rule" for others.
  Slots(Vocabulary values, const std::string& file);
  // The slots of the labels "state". `which`: names separated by commas, "restaurant-*" for a
  // prefix; empty: all. Throws DataError "FILE: rule" if there are none, or none of a name, and
  // "FILE:LINE: rule" for a label that is no "slot=value".
  static Slots of(const std::vector<Dialogue>& dialogues, const std::string& which,
                  const std::string& file);

  const Vocabulary& values() const { return values_; }
  int64_t size() const { return values_.size() - kSpecialTokens; }  // N
  size_t count() const { return slots_.size(); }
  struct Slot {
    std::string name;
    int64_t begin = 0, end = 0;  // its indices
    int32_t none = -1;
  };
  const Slot& operator[](size_t slot) const { return slots_[slot]; }
  auto begin() const { return slots_.begin(); }
  auto end() const { return slots_.end(); }
  std::string value(int32_t place) const;  // "chinese"; "?" beyond size()

  bool has(const std::string& slot) const;
  // The state of labels "slot=value"; other slots are ignored. Unknown values are added to
  // `unknown` and get the index size() + i, where i is their index there.
  State state(const std::vector<std::string>& labels, std::vector<std::string>& unknown) const;
  State nothing() const;  // none of every slot
  // {"food": "chinese"}, without none.
  std::vector<std::pair<std::string, std::string>> named(const State& state) const;

 private:
  Vocabulary values_;
  std::vector<Slot> slots_;
};

// The slot and the value of a label of the n-th dialogue. Throws DataError "FILE:LINE: rule" for
// one that is no "slot=value".
NameAndValue read_state_label(const std::string& label, const std::string& file, size_t n);

// Whether a slot is one of `which` (Slots::of()).
bool is_wanted(const std::string& slot, const std::string& which);

}  // namespace heed::track
