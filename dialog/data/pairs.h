// Pairs of adjacent turns, the form in which Henderson et al. (*A Repository of Conversational
// Datasets*, 2019) learn and choose responses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dialog/data/dialogue.h"

namespace heed {

// The length of a text in characters (code points), bounds included.
struct Characters {
  int64_t least = 9, most = 128;

  bool fits(const std::string& text) const;
};
// "9:128"; throws UsageError.
Characters parse_characters(const std::string& bounds);

// A dialogue of two turns, message and response, for each pair of adjacent turns of such lengths.
// Its id is "DIALOGUE#TURN", with the number of the response, turns from 1. Distractions are not
// there.
std::vector<Dialogue> adjacent_pairs(const std::vector<Dialogue>& dialogues,
                                     const Characters& characters);

}  // namespace heed
