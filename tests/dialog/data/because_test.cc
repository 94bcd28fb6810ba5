#include "dialog/data/because.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "dialog/data/corpus.h"
#include "tests/dialog/data/reader_helpers.h"

namespace heed {
namespace {

// "what | why", or nothing.
std::string in(std::string_view text) {
  const auto found = explanation_in(text);
  return found ? found->what + " | " + found->why : "";
}

TEST(Because, CutsTheSentence) {
  EXPECT_EQ(in("it does not boot because the disk is full"), "it does not boot | the disk is full");
  EXPECT_EQ(in("Hm. It does not boot Because  the disk is full! try df -h."),
            "It does not boot | the disk is full");
  EXPECT_EQ(in("i use 8.04 here, because it is stable.."), "i use 8.04 here, | it is stable..");
  EXPECT_EQ(in("see ubuntu.com for it because they say so. ok"),
            "see ubuntu.com for it | they say so");
  EXPECT_EQ(in("why so? does it fail because the disk is full? yes"),
            "does it fail | the disk is full");
}

TEST(Because, OnlyTheWordAloneAndNotBeforeOf) {
  EXPECT_EQ(in("i cannot do it because of the new kernel"), "");
  EXPECT_EQ(in("i cannot do it because \t of the new kernel"), "");
  EXPECT_EQ(in("i cannot do it because often it is full"), "i cannot do it | often it is full");
  EXPECT_EQ(in("the file justbecause is not in here"), "");
  EXPECT_EQ(in("the file because_1 is not in here"), "");
  EXPECT_EQ(in("the file ßbecause is not in here"), "");
  EXPECT_EQ(in("the file becauseß is not in here"), "");
  EXPECT_EQ(in("no because of that i left because it is late"),
            "no because of that i left | it is late");
  // the first one decides
  EXPECT_EQ(in("no because yes. i left early because it was late"), "");
}

TEST(Because, EachSideHasThreeToFiftyTokens) {
  EXPECT_EQ(in("it fails because the disk is full"), "");
  EXPECT_EQ(in("it just fails because it is"), "");
  EXPECT_EQ(in("it just fails because it is so"), "it just fails | it is so");
  std::string fifty;
  for (int i = 0; i < 50; ++i) fifty += " a";
  EXPECT_NE(in("it just fails because" + fifty), "");
  EXPECT_EQ(in("it just fails because a" + fifty), "");
  EXPECT_NE(in(fifty + " because it is so"), "");
  EXPECT_EQ(in("a" + fifty + " because it is so"), "");
  EXPECT_EQ(in("it just fails\nbecause it is so\n"), "it just fails | it is so");
  EXPECT_EQ(in(""), "");
  EXPECT_EQ(in("because"), "");
}

TEST(Because, MakesDialogues) {
  const std::vector<Dialogue> dialogues = {
      {"d", {{"A", "hi"}, {"B", "yes ?"}, {"A", "it just fails because it is so"}, {"B", "ok"}}},
      {"e", {{"A", "so i left early because it was late"}, {"B", "Why not ?"}, {"A", "whyever"}}}};
  const auto all = explanations(dialogues, 5);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].id, "d#3");
  EXPECT_EQ(text_of(all[0]), "A:hi|B:yes ?|A:it just fails|A:it is so|");
  EXPECT_EQ(all[1].id, "e#1");
  EXPECT_EQ(text_of(all[1]), "A:so i left early|A:it was late|");
  EXPECT_EQ(text_of(explanations(dialogues, 1)[0]), "B:yes ?|A:it just fails|A:it is so|");
  EXPECT_EQ(text_of(explanations(dialogues, 0)[0]), "A:it just fails|A:it is so|");
  const auto answers = answers_to_why(dialogues, 0);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].id, "e#3");
  EXPECT_EQ(text_of(answers[0]), "B:Why not ?|A:whyever|");
}

TEST(Because, AnswersFollowAQuestionThatBeginsWithTheWordWhy) {
  const std::vector<Dialogue> dialogues = {{"f",
                                            {{"A", "whyever not ?"},
                                             {"B", "so"},
                                             {"A", " \tWHY?"},
                                             {"B", "it is late"},
                                             {"A", "tell me why"},
                                             {"B", "no"}}}};
  const auto answers = answers_to_why(dialogues, 1);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].id, "f#4");
  EXPECT_EQ(text_of(answers[0]), "B:so|A: \tWHY?|B:it is late|");
}

// The counts of the specification, on corpora that are not bundled.
void expect_counts(const char* variable, const std::vector<size_t>& counts) {
  const char* folder = std::getenv(variable);
  if (!folder) GTEST_SKIP() << variable << " is not set";
  std::vector<size_t> found;
  for (const char* part : {"train", "valid", "test"}) {
    found.push_back(explanations(read_dialogues(find_part(folder, part)), 5).size());
  }
  EXPECT_EQ(found, counts);
}
TEST(Because, CountsInUbuntu) {
  expect_counts("HEED_UBUNTU", {2746, 144, 149});
}
TEST(Because, CountsInDailyDialog) {
  expect_counts("HEED_DAILYDIALOG", {463, 38, 50});
}

}  // namespace
}  // namespace heed
