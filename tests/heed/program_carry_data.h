// Items of slot carryover: a city that each side says, and one that holds for a second service.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/heed/program_helpers.h"

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

// A part of a corpus as published: a hotel's city, and the same city for a taxi.
inline std::string hotel_dialogue(int number) {
  const std::string city = number % 2 ? "Rio" : "Lima", id = std::to_string(number);
  const auto turn = [](const std::string& speaker, const std::string& text,
                       const std::string& frames) {
    return R"({"speaker": ")" + speaker + R"(", "utterance": ")" + text + R"(", "frames": [)" +
           frames + "]}";
  };
  const auto frame = [](const std::string& service, const std::string& actions,
                        const std::string& state) {
    return R"({"service": ")" + service + R"(", "slots": [], "actions": [)" + actions + "]" +
           (state.empty()
                ? ""
                : R"(, "state": {"active_intent": "FindIt", "slot_values": {)" + state + "}}") +
           "}";
  };
  const auto action = [](const std::string& slot, const std::string& value) {
    return R"({"act": "INFORM", "slot": ")" + slot + R"(", "values": [")" + value +
           R"("], "canonical_values": []})";
  };
  return R"({"dialogue_id": ")" + id + R"(", "services": [], "turns": [)" +
         turn("USER", "a hotel in " + city + " please",
              frame("Hotels_1", action("city", city), R"("city": [")" + city + R"("])")) +
         ", " +
         turn("SYSTEM", "for how many ? " + id,
              frame("Hotels_1", R"({"act": "REQUEST", "slot": "rooms", "values": []})", "")) +
         ", " +
         turn("USER", "for 2 and a taxi",
              frame("Hotels_1", action("rooms", "2"),
                    R"("city": [")" + city + R"("], "rooms": ["2"])") +
                  ", " + frame("Taxis_1", "", R"("place": [")" + city + R"("])")) +
         "]}\n";
}

// The folder of the items that the program makes of it.
inline const std::string& hotel_items() {
  static const TempDir dir;
  static const std::string folder = [] {
    const std::string schema =
        R"([{"service_name": "Hotels_1", "slots": [{"name": "city"}, {"name": "rooms"}]},)"
        R"( {"service_name": "Taxis_1", "slots": [{"name": "place"}]}])";
    for (const auto& [part, count] : {std::pair("train", 120), {"dev", 30}, {"test", 30}}) {
      std::string lines;
      for (int i = 0; i < count; ++i) lines += hotel_dialogue(i);
      dir.write("sgd/" + std::string(part) + "/dialogues_001.json", lines);
      dir.write("sgd/" + std::string(part) + "/schema.json", schema);
    }
    const Result r =
        heed_program({"prepare", "carryover", "--in", dir.path("sgd"), "--out", dir.path("items")});
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(has(r.out, "wrote 540 items")) << r.out;
    EXPECT_TRUE(has(r.out, "1 pair of corresponding slots")) << r.out;
    return dir.path("items");
  }();
  return folder;
}

}  // namespace heed
