// Questions on dialogues, for heed train comprehend and what comes after.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tests/heed/program_data.h"

namespace heed {

// FriendsQA's form: who has which number is asked of ten dialogues, twice.
inline std::string friends_questions() {
  nlohmann::json data = nlohmann::json::array();
  for (int i = 0; i < 10; ++i) {
    nlohmann::json turns = nlohmann::json::array(), qas = nlohmann::json::array();
    const char* const names[] = {"Ann", "Bob", "Cyd"};
    for (int k = 0; k < 3; ++k) {
      const std::string number = std::to_string((7 * i + 3 * k) % 10);
      turns.push_back({{"speakers", {names[k]}}, {"utterance", "i have " + number + " here"}});
      nlohmann::json answer = {{"answer_text", number},
                               {"utterance_id", k},
                               {"inner_start", 2},
                               {"inner_end", 2},
                               {"is_speaker", false}};
      qas.push_back({{"id", std::to_string(i) + "-" + std::to_string(k)},
                     {"question", std::string("What has ") + names[k] + " ?"},
                     {"answers", {answer, answer}}});
    }
    data.push_back(
        {{"title", std::to_string(i)}, {"paragraphs", {{{"utterances:", turns}, {"qas", qas}}}}});
  }
  return nlohmann::json({{"data", data}}).dump();
}

}  // namespace heed
