// Explanations given by people: sentences with "because" (Nie, Bennett & Goodman 2019, who split
// them with a parser; here a rule does it).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialog/data/dialogue.h"

namespace heed {

struct Explanation {
  std::string what, why;  // S1, S2
};
// The parts of a sentence before and after the first "because" that is a word and not followed by
// "of", each of 3 to 50 tokens; else nothing. A sentence ends at . ! or ? before white space.
std::optional<Explanation> explanation_in(std::string_view text);

// A dialogue for each turn with an explanation: up to `before` turns before it, then `what`, then
// `why`, the response. Its id is "DIALOGUE#TURN", turns from 1.
std::vector<Dialogue> explanations(const std::vector<Dialogue>& dialogues, size_t before);

// A dialogue for each turn after a turn that begins with the word "why". Its context is as above,
// with the question last.
std::vector<Dialogue> answers_to_why(const std::vector<Dialogue>& dialogues, size_t before);

}  // namespace heed
