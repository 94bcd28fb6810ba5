// A few dialogues for each system that learns from labels: a training of a quarter of a second.
#pragma once

#include <nlohmann/json.hpp>

#include "tests/heed/program_helpers.h"

namespace heed {

// The lines of n dialogues, of which the first one has another label than it has otherwise.
inline std::string labelled_lines(const std::string& system, int n, bool other) {
  using Json = nlohmann::ordered_json;
  std::string lines;
  for (int i = 0; i < n; ++i) {
    const bool usual = i > 0 || !other;
    const std::string id = std::to_string(i);
    const auto turn = [](const char* speaker, const std::string& text) {
      return Json{{"speaker", speaker}, {"text", text}};
    };
    Json json = {{"id", id}, {"dialogue", id}};
    if (system == "carryover") {
      json["turns"] = Json::array({turn("user", "a hotel in Rio")});
      const Json city = {{"turn", 0}, {"key", "city"}, {"span", {11, 14}}};
      json["candidates"] = Json::array({city});
      json["carry"] = usual ? Json::array({0}) : Json::array();
    } else if (system == "gaps") {
      json["turns"] = Json::array({turn("", "about k1 please"), turn("", "is it good")});
      json["turns"][1]["labels"]["rewritten"] = Json::array({usual ? "is k1 good" : "is it good"});
    } else if (system == "tracker") {
      json["turns"] = Json::array({turn("user", "thai or greek")});
      json["turns"][0]["labels"]["state"] =
          Json::array({(i % 2 == 0) == usual ? "food=greek" : "food=thai"});
    } else {  // retrieval, whose label is what is said
      json["turns"] = Json::array({turn("", "hello"), turn("", "what is k" + id),
                                   turn("", usual ? "it is good" : "it is bad")});
    }
    lines += json.dump() + "\n";
  }
  return lines;
}

// FriendsQA's form: what Ann has is the word behind "i", and in another form the next but one.
inline std::string labelled_questions(int n, bool other) {
  using Json = nlohmann::json;
  Json data = Json::array();
  for (int i = 0; i < n; ++i) {
    const int at = i > 0 || !other ? 1 : 2;
    const Json answer = {{"answer_text", at == 1 ? "have" : "4"},
                         {"utterance_id", 0},
                         {"inner_start", at},
                         {"inner_end", at},
                         {"is_speaker", false}},
               turn = {{"speakers", Json::array({"Ann"})}, {"utterance", "i have 4 here"}},
               asked = {{"id", std::to_string(i)},
                        {"question", "What has Ann ?"},
                        {"answers", Json::array({answer})}},
               paragraph = {{"utterances:", Json::array({turn})}, {"qas", Json::array({asked})}};
    data.push_back({{"title", std::to_string(i)}, {"paragraphs", Json::array({paragraph})}});
  }
  return Json({{"data", data}}).dump();
}

// Writes them into DIR/SYSTEM, train, valid and test, and returns what --data is.
inline std::string labelled_data(const TempDir& dir, const std::string& system,
                                 bool other = false) {
  if (system == "comprehend") {
    return dir.write("comprehend/questions.json", labelled_questions(12, other));
  }
  for (const char* part : {"train", "valid", "test"}) {
    const bool learned = std::string(part) == "train";
    dir.write(system + "/" + part + ".jsonl", labelled_lines(system, 4, other && learned));
  }
  return dir.path(system);
}

// Options of its training, and of its experiment, that make it small.
inline Arguments small_options(const std::string& system) {
  if (system == "tracker") return {"--machine", "text"};
  if (system == "comprehend") return {"--hidden", "16", "--encoder-layers", "1", "--cells", "8"};
  return {};
}

}  // namespace heed
