#include "dialog/data/formats/daily_dialog.h"

#include <gtest/gtest.h>

#include "tests/dialog/data/reader_helpers.h"

namespace heed {
namespace {

// As ConvLab-3 has them, made up.
const std::string kJson =
    R"([{"dataset": "dailydialog", "data_split": "validation", "dialogue_id": "d-0",
  "domains": ["Ordinary Life"], "turns": [
    {"speaker": "user", "utterance": "Tea?", "dialogue_acts": {"binary": [{"intent": "question"}]},
     "emotion": "no emotion"},
    {"speaker": "system", "utterance": " ", "dialogue_acts": {"binary": []}, "emotion": "anger"},
    {"speaker": "user", "utterance": "Fine.",
     "dialogue_acts": {"binary": [{"intent": "inform"}, {"intent": "directive"}]}, "emotion": "happiness"}]},
  {"data_split": "train", "dialogue_id": "d-1", "domains": [], "turns": []}])";

std::string error(const std::string& bytes) {
  return error_reading([](const std::string& path) { read_daily_dialog(path); }, "f", bytes);
}

TEST(DailyDialog, HasActsEmotionsAndTopics) {
  const TempDir dir;
  for (const std::string& bytes : {kJson, gzip(kJson)}) {
    const auto [dialogues, left_out] = read_daily_dialog(dir.write("f", bytes));
    ASSERT_EQ(dialogues.size(), 2u);
    EXPECT_EQ(dialogues[0].id, "d-0");
    EXPECT_EQ(text_of(dialogues[0]), "user:Tea?|user:Fine.|");
    EXPECT_EQ(text_of(dialogues[0].notes->labels), "part=valid topic=ordinary_life");
    EXPECT_EQ(text_of(dialogues[0].turns[0].notes->labels), "act=question emotion=no_emotion");
    EXPECT_EQ(text_of(dialogues[0].turns[1].notes->labels),
              "act=inform,directive emotion=happiness");
    EXPECT_EQ(text_of(dialogues[1].notes->labels), "part=train");
    EXPECT_EQ(left_out.at("turns without text"), 1u);
  }
  EXPECT_EQ(read_daily_dialog(dir.path("f"), {.limit = 1}).dialogues.size(), 1u);
}

TEST(DailyDialog, MayBeText) {
  const TempDir dir;
  const Published corpus = read_daily_dialog(dir.write("t.txt", "Tea ? __eou__ Fine . __eou__\n"));
  EXPECT_EQ(text_of(corpus.dialogues.at(0)), ":Tea ?|:Fine .|");
}

TEST(DailyDialog, IsChecked) {
  EXPECT_EQ(error("[]"), ": holds no dialogue");
  EXPECT_EQ(error(""), ": holds no dialogue");
  EXPECT_EQ(error("[{}]"), ": dialogue 1: there is no \"dialogue_id\"");
  EXPECT_EQ(error(with(kJson, "validation", "dev")),
            ": dialogue 1: \"data_split\" must be train, validation or test");
  EXPECT_EQ(error(with(kJson, "[\"Ordinary Life\"]", "[7]")),
            ": dialogue 1: each value in \"domains\" must be a string, got a number");
  EXPECT_EQ(error(with(kJson, "\"emotion\": \"anger\"", "\"x\": 1")),
            ": dialogue 1, turn 2: there is no \"emotion\"");
  EXPECT_EQ(error(with(kJson, "{\"intent\": \"directive\"}", "\"directive\"")),
            ": dialogue 1, turn 3: expected an object with \"intent\", got a string");
  EXPECT_EQ(error(with(kJson, "\"turns\": []", "\"turns\": [[]]")),
            ": dialogue 2, turn 1: expected an object with \"speaker\", got an array");
}

}  // namespace
}  // namespace heed
