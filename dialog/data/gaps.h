// What a turn leaves out, found by aligning it with the completed turn (Yang et al. 2019,
// "End-to-End Neural Context Reconstruction in Chinese Dialogue", who defined these labels).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dialog/text/overlap.h"

namespace heed::rewrite {

// The units of a text: the tokens of dialog/text/tokenizer.h, with each Chinese character as a unit
// of its own. joined() makes readable text, without spaces beside Chinese characters.
Tokens units(std::string_view text);
std::string joined(const Tokens& units);

// The units [begin, end) of a turn stand for `piece`: none, begin = end, if something was left out;
// otherwise a pronoun or another short form. The piece is empty if the completed turn dropped the
// units.
struct Gap {
  int32_t begin = 0, end = 0;
  Tokens piece = {};
  bool operator==(const Gap&) const = default;
};

// The gaps of a turn that is completed as `rewritten`: among all alignments that keep the maximum
// number of units in order, one with the fewest gaps. No two gaps are adjacent.
std::vector<Gap> align(const Tokens& turn, const Tokens& rewritten);
// The turn with its gaps filled, in order. With the result of align() it is `rewritten`.
Tokens filled(const Tokens& turn, const std::vector<Gap>& gaps);

// A label for each of the n units of a turn and for the ends of utterances before and after it, n +
// 2 in all: 1 for the two neighbours of a place where something was left out, 2 for units that
// stand for something else, 0 for all others.
constexpr int kOther = 0, kBorder = 1, kPronoun = 2, kLabels = 3;
std::vector<int32_t> labels_of(const std::vector<Gap>& gaps, size_t n);
// The gaps that the labels encode, without pieces. A run of 2s is one gap. A run of 1s has a gap
// between the units of each pair; if the run's length is odd, the last pair shares a unit with the
// pair before. A single 1 is not a gap, and neither is a 2 outside of the turn.
std::vector<Gap> gaps_of(const std::vector<int32_t>& labels);

}  // namespace heed::rewrite
