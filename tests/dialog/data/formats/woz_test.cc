#include "dialog/data/formats/corpora.h"

#include <gtest/gtest.h>

#include "tests/dialog/data/reader_helpers.h"

namespace heed {
namespace {

// Two dialogues as WOZ 2.0 has them, made up.
const std::string kWozJson = R"([
 {"dialogue_idx": 7, "dialogue": [
  {"turn_idx": 0, "system_transcript": "", "system_acts": [], "transcript": "Cheap food?",
   "turn_label": [["price range", "cheap"]],
   "belief_state": [{"act": "inform", "slots": [["price range", "Cheap"]]}]},
  {"turn_idx": 1, "system_transcript": "Where, and what?", "system_acts": ["area", ["food", "modern european"]],
   "transcript": "North. The phone number?", "turn_label": [["area", "north"], ["request", "phone"]],
   "belief_state": [{"act": "request", "slots": [["slot", "phone"]]},
                    {"act": "inform", "slots": [["price range", "cheap"]]},
                    {"act": "inform", "slots": [["area", "north"]]},
                    {"act": "inform", "slots": [["area", "south"]]}]}]},
 {"dialogue_idx": 8, "dialogue": [
  {"system_transcript": "Hello", "system_acts": [], "transcript": " ", "turn_label": [], "belief_state": []}]}])";

Published woz_of(const std::string& bytes, const Reading& reading = {}) {
  const TempDir dir;
  return read_woz(dir.write("f", bytes), reading);
}

std::string woz_error(const std::string& bytes) {
  return error_reading([](const std::string& path) { read_woz(path); }, "f", bytes);
}

TEST(Woz, HasStatesAndActs) {
  for (const std::string& bytes : {kWozJson, gzip(kWozJson)}) {
    const auto [dialogues, left_out] = woz_of(bytes);
    ASSERT_EQ(dialogues.size(), 2u);
    const Dialogue& d = dialogues[0];
    EXPECT_EQ(d.id, "7");
    EXPECT_EQ(text_of(d),
              "user:Cheap food?|system:Where, and what?|user:North. The phone number?|");
    EXPECT_EQ(text_of(d.turns[0].notes->labels),
              "act=inform price_range=cheap state=price_range=cheap");
    EXPECT_EQ(text_of(d.turns[1].notes->labels), "act=request area,confirm food=modern_european");
    EXPECT_EQ(text_of(d.turns[2].notes->labels),
              "act=inform area=north,request phone state=area=north,price_range=cheap");
    EXPECT_EQ(text_of(dialogues[1]), "system:Hello|");
    EXPECT_EQ(left_out, (std::map<std::string, size_t>{{"turns without text", 1}}));
  }
  EXPECT_EQ(woz_of(kWozJson, {.limit = 1}).dialogues.size(), 1u);
  // A system may be silent at first, and not later.
  const auto [dialogues, left_out] = woz_of(with(kWozJson, "Where, and what?", " "));
  EXPECT_EQ(text_of(dialogues[0]), "user:Cheap food?|user:North. The phone number?|");
  EXPECT_EQ(left_out.at("turns without text"), 2u);
}

TEST(Woz, IsChecked) {
  EXPECT_EQ(woz_error("[]"), ": holds no dialogue");
  EXPECT_EQ(woz_error(with(kWozJson, "\"dialogue_idx\": 7", "\"dialogue_idx\": \"7\"")),
            ": dialogue 1: \"dialogue_idx\" must be a whole number");
  EXPECT_EQ(woz_error(with(kWozJson, "\"transcript\": \"North.", "\"text\": \"North.")),
            ": dialogue 1, turn 2: there is no \"transcript\"");
  EXPECT_EQ(woz_error(with(kWozJson, "[\"request\", \"phone\"]", "[\"request\"]")),
            ": dialogue 1, turn 2: each of \"turn_label\" must be a pair of slot and value");
  EXPECT_EQ(woz_error(with(kWozJson, "[\"area\", \"south\"]", "[\"area\", 1]")),
            ": dialogue 1, turn 2: the value of \"slots\" must be a string, got a number");
  EXPECT_EQ(woz_error(with(kWozJson, "\"area\", [\"food\"", "7, [\"food\"")),
            ": dialogue 1, turn 2: each of \"system_acts\" must be a pair of slot and value");
  EXPECT_EQ(woz_error(with(kWozJson, "\"belief_state\": []", "\"belief_state\": 3")),
            ": dialogue 2, turn 1: \"belief_state\" must be an array, got a number");
}

}  // namespace
}  // namespace heed
