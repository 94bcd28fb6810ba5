// Labels of dialogues that a model reads besides words, as the sentiment that an answer is to have.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dialog/data/dialogue.h"

namespace heed {

struct Condition {
  std::string label;                     // of the turn that is the response, or of the dialogue
  std::vector<std::string> values = {};  // a value's number is its place

  // "emotion=negative|neutral|positive", and what says so; "emotion" of one without values. parse
  // throws UsageError for no label, an empty value and one that stands there twice.
  std::string text() const;
  static Condition parse(const std::string& text);

  // The values that stand in the dialogues, in the order of their bytes. Throws DataError for one
  // that text() could not say.
  void learn(const std::vector<Dialogue>& dialogues);
  // Adds the number of a value to a list, and says whether it is known.
  bool add_number(const std::string& value, std::vector<int32_t>& numbers) const;
  // The numbers of what a response has; values that are not known are left out.
  std::vector<int32_t> numbers(const Dialogue& dialogue, const Turn& response) const;
  bool operator==(const Condition&) const = default;
};

// What is wanted of a response, as "emotion=positive", in the numbers of each of a model's
// conditions. Throws UsageError for what none of them knows.
std::vector<std::vector<int32_t>> wanted_numbers(const std::vector<Condition>& conditions,
                                                 const std::vector<std::string>& wanted);

}  // namespace heed
