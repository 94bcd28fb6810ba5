// What a turn leaves out, found by laying it beside the same turn written out (Yang et al. 2019,
// "End-to-End Neural Context Reconstruction in Chinese Dialogue", whose labels these are).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dialog/text/overlap.h"

namespace heed::rewrite {

// What a text is read in: the tokens of dialog/text/tokenizer.h, with each Chinese character by
// itself. Readable text of them has no blanks beside a Chinese character.
Tokens units(std::string_view text);
std::string joined(const Tokens& units);

// The units [begin, end) of a turn stand for `piece`: nothing, begin = end, where something was
// left out; a pronoun or another short form otherwise. The piece is empty where the longer turn
// dropped them.
struct Gap {
  int32_t begin = 0, end = 0;
  Tokens piece = {};
  bool operator==(const Gap&) const = default;
};

// The gaps of a turn that is written out as `rewritten`: of all ways to keep as many units as can
// be kept in order, one with the fewest gaps; no two of them are neighbours.
std::vector<Gap> align(const Tokens& turn, const Tokens& rewritten);
// The turn with its gaps, in their order, filled. What align() gives makes `rewritten` of `turn`.
Tokens filled(const Tokens& turn, const std::vector<Gap>& gaps);

// A label for each of the n units of a turn and for the end of an utterance before and behind it,
// n + 2 in all: 1 the two neighbours of a place where something was left out, 2 what stands for
// something else, 0 all others.
constexpr int kOther = 0, kBorder = 1, kPronoun = 2, kLabels = 3;
std::vector<int32_t> labels_of(const std::vector<Gap>& gaps, size_t n);
// The gaps that labels tell of, without pieces. A run of 2 is one; a run of 1 holds a place in each
// of its pairs, of which the last one shares a unit with that before it where their number is odd;
// a 1 by itself is none, and so is a 2 outside of the turn.
std::vector<Gap> gaps_of(const std::vector<int32_t>& labels);

}  // namespace heed::rewrite
