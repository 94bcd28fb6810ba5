// Explanations that people gave: sentences with "because" (Nie, Bennett & Goodman 2019, who cut
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
// Of the first "because" that stands alone and not before "of": the text of its sentence before and
// after it, each of 3 to 50 tokens; else nothing. A sentence ends at . ! or ? before white space.
std::optional<Explanation> explanation_in(std::string_view text);

// A dialogue for each turn with an explanation: up to `before` turns that stand before it, then
// what, then why, the response. Its id is "DIALOGUE#TURN", turns from 1.
std::vector<Dialogue> explanations(const std::vector<Dialogue>& dialogues, size_t before);

// A dialogue for each turn that comes after one that begins with the word "why": its context is as
// above, the question last.
std::vector<Dialogue> answers_to_why(const std::vector<Dialogue>& dialogues, size_t before);

}  // namespace heed
