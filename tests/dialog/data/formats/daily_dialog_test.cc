#include "dialog/data/formats/corpora.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "dialog/data/condition.h"
#include "dialog/data/corpus.h"
#include "dialog/data/example.h"
#include "dialog/text/lexicon.h"
#include "tests/dialog/data/reader_helpers.h"

namespace heed {
namespace {

// As ConvLab-3 has them, made up.
const std::string kDailyJson =
    R"([{"dataset": "dailydialog", "data_split": "validation", "dialogue_id": "d-0",
  "domains": ["Ordinary Life"], "turns": [
    {"speaker": "user", "utterance": "Tea?", "dialogue_acts": {"binary": [{"intent": "question"}]},
     "emotion": "no emotion"},
    {"speaker": "system", "utterance": " ", "dialogue_acts": {"binary": []}, "emotion": "anger"},
    {"speaker": "user", "utterance": "Fine.",
     "dialogue_acts": {"binary": [{"intent": "inform"}, {"intent": "directive"}]}, "emotion": "happiness"}]},
  {"data_split": "train", "dialogue_id": "d-1", "domains": [], "turns": []}])";

std::string daily_error(const std::string& bytes) {
  return error_reading([](const std::string& path) { read_daily_dialog(path); }, "f", bytes);
}

TEST(DailyDialog, HasActsEmotionsAndTopics) {
  const TempDir dir;
  for (const std::string& bytes : {kDailyJson, gzip(kDailyJson)}) {
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
  dir.write("t.txt", "Tea ? __eou__\nFine . __eou__\nSo __eou__\n");
  EXPECT_EQ(read_daily_dialog(dir.path("t.txt"), {.limit = 2}).dialogues.size(), 2u);
}

TEST(DailyDialog, IsChecked) {
  EXPECT_EQ(daily_error("[]"), ": holds no dialogue");
  EXPECT_EQ(daily_error(""), ": holds no dialogue");
  EXPECT_EQ(daily_error("[{}]"), ": dialogue 1: there is no \"dialogue_id\"");
  EXPECT_EQ(daily_error(with(kDailyJson, "validation", "dev")),
            ": dialogue 1: \"data_split\" must be train, validation or test");
  EXPECT_EQ(daily_error(with(kDailyJson, "[\"Ordinary Life\"]", "[7]")),
            ": dialogue 1: each value in \"domains\" must be a string, got a number");
  EXPECT_EQ(daily_error(with(kDailyJson, "\"emotion\": \"anger\"", "\"x\": 1")),
            ": dialogue 1, turn 2: there is no \"emotion\"");
  EXPECT_EQ(daily_error(with(kDailyJson, "{\"intent\": \"directive\"}", "\"directive\"")),
            ": dialogue 1, turn 3: expected an object with \"intent\", got a string");
  EXPECT_EQ(daily_error(with(kDailyJson, "\"turns\": []", "\"turns\": [[]]")),
            ": dialogue 2, turn 1: expected an object with \"speaker\", got an array");
}

// The counts of the specification, of an independent program. The texts are not bundled:
// HEED_DAILYDIALOG is a data directory of all dialogues, HEED_VADER the lexicon
// (docs/reliability.md).
TEST(DailyDialog, HasTheKnownCounts) {
  const char *folder = std::getenv("HEED_DAILYDIALOG"), *vader = std::getenv("HEED_VADER");
  if (!folder || !vader) GTEST_SKIP() << "HEED_DAILYDIALOG and HEED_VADER are not both set";
  const Condition sentiment = Condition::parse("emotion=positive|neutral|negative");
  std::map<std::string, int> topics;
  std::vector<std::vector<int64_t>> classes;  // responses of each part
  std::vector<int64_t> pairs;
  TokenCounts words;  // of the training part
  for (const char* part : {"train", "valid", "test"}) {
    const auto dialogues = read_dialogues(find_part(folder, part), {.notes = true});
    if (classes.empty()) words = count_tokens(dialogues);
    std::vector<int64_t> of_part(3);
    pairs.push_back(0);
    for (const Dialogue& d : dialogues) {
      ++topics[d.notes->labels.at("topic")[0]];
      pairs.back() += std::ssize(d.turns) - 1;
      for (size_t t = 1; t < d.turns.size(); ++t) {
        ++of_part[static_cast<size_t>(sentiment.numbers(d, d.turns[t]).at(0))];
      }
    }
    classes.push_back(of_part);
  }
  EXPECT_EQ(pairs, (std::vector<int64_t>{76052, 7069, 6740}));
  EXPECT_EQ(classes, (std::vector<std::vector<int64_t>>{
                         {10253, 63861, 1938}, {649, 6282, 138}, {927, 5562, 251}}));
  EXPECT_EQ(topics, (std::map<std::string, int>{{"relationship", 4335},
                                                {"ordinary_life", 3738},
                                                {"work", 1868},
                                                {"tourism", 1060},
                                                {"attitude_&_emotion", 700},
                                                {"school_life", 488},
                                                {"finance", 483},
                                                {"health", 262},
                                                {"politics", 126},
                                                {"culture_&_education", 58}}));
  const Lexicon lexicon = read_lexicon(vader);
  int64_t different = 0, said = 0, all = 0;
  for (const auto& [word, count] : words) {
    all += count;
    if (count < 3 || !has_sentiment(lexicon, word)) continue;
    ++different;
    said += count;
  }
  EXPECT_EQ(different, 1081);
  // 0.0628: that program counts fewer tokens.
  EXPECT_NEAR(static_cast<double>(said) / static_cast<double>(all), 0.0635, 0.001);
}

}  // namespace
}  // namespace heed
