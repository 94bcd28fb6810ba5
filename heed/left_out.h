// Reports the parts of the dialogues that do not reach the model.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heed/inputs.h"

namespace heed {

struct LeftOut {
  size_t dialogues_read = 0;           // all others
  std::vector<std::string> dialogues;  // without a response
  // Sums over the examples, and the ids of those that they concern.
  size_t turns = 0, distractions = 0, utterances = 0, responses = 0;
  size_t contexts = 0;    // examples whose context has too many tokens
  size_t with_turns = 0;  // examples with turns that are not read
  std::vector<std::string> with_distractions, marked_responses;
};
// Counts for all dialogues that were read, and for these examples of them.
LeftOut find_left_out(const Inputs& inputs, const std::vector<Example>& examples);

nlohmann::ordered_json to_json(const LeftOut& left_out);
// Prints one line for each kind of omission that occurred, on standard error.
void say(const LeftOut& left_out, const Inputs& inputs);

}  // namespace heed
