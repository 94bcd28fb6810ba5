// Labels of dialogues that a model reads besides words, such as the desired sentiment of an answer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dialog/data/dialogue.h"

namespace heed {

struct Condition {
  std::string label;                     // of the turn that is the response, or of the dialogue
  std::vector<std::string> values = {};  // a value's number is its index

  // "emotion=negative|neutral|positive", or "emotion" without values; and the reverse. parse()
  // throws UsageError for a missing label, an empty value and a repeated one.
  std::string text() const;
  static Condition parse(const std::string& text);

  // Takes the values that occur in the dialogues, in byte order. Throws DataError for a value that
  // text() cannot write.
  void learn(const std::vector<Dialogue>& dialogues);
  // Adds the number of a value to a list; returns false for an unknown value.
  bool add_number(const std::string& value, std::vector<int32_t>& numbers) const;
  // The numbers of a response's values; unknown values are left out.
  std::vector<int32_t> numbers(const Dialogue& dialogue, const Turn& response) const;
  bool operator==(const Condition&) const = default;
};

// The desired values of a response, such as "emotion=positive", as numbers for each of a model's
// conditions. Throws UsageError for a value that none of them knows.
std::vector<std::vector<int32_t>> wanted_numbers(const std::vector<Condition>& conditions,
                                                 const std::vector<std::string>& wanted);

}  // namespace heed
