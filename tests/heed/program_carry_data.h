// Items of slot carryover in which a city is said by each side.
#pragma once

#include <string>
#include <vector>

namespace heed {

// An item, of a dialogue of its own, for each of `right`: the index of the candidate that holds,
// "0" for the user's or "1" for the system's.
inline std::string lines_of_two_cities(const std::vector<std::string>& right) {
  std::string lines;
  for (const std::string& holds : right) {
    const std::string id = std::to_string(lines.size());
    lines += R"({"id": ")" + id + R"(", "dialogue": ")" + id +
             R"(", "turns": [{"speaker": "user", "text": "in Rio"}, )"
             R"({"speaker": "system", "text": "or Lima"}, {"speaker": "user", "text": "ok"}], )"
             R"("candidates": [{"turn": 0, "key": "city", "span": [3, 6]}, )"
             R"({"turn": 1, "key": "city", "span": [3, 7]}], "carry": [)" +
             holds + "]}\n";
  }
  return lines;
}

}  // namespace heed
