#include "dialog/data/split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/error.h"
#include "tests/dialog/data/dialogue_helpers.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using Places = std::vector<size_t>;

const std::string kSaid = "this sentence stands in several dialogues";
const std::string kSaidToo = "THAT one, too, is said in more than one place";

// How long an utterance is, and what is marked: tests/dialog/data/conversations_test.cc.
TEST(GroupDialogues, AConversationIsWhatSharesLongUtterancesOrNames) {
  EXPECT_EQ(group_dialogues({dialogue("a", {kSaid, "no"}), dialogue("b", {"no"}),
                             dialogue("c", {"no", kSaidToo}), dialogue("d", {kSaidToo, kSaid}),
                             dialogue("b", {"yes"}), dialogue("e", {"no"})},
                            SplitBy::kConversation),
            (Places{0, 1, 0, 0, 1, 2}));
}

// Eleven strangers who hear the same goodbye are eleven conversations, ten may be one.
TEST(GroupDialogues, AStockPhraseTiesNothing) {
  std::vector<Dialogue> dialogues;
  for (size_t i = 0; i < kStockPhrase; ++i) {
    dialogues.push_back(dialogue(std::to_string(i), {kSaid, kSaid}));
  }
  EXPECT_EQ(group_dialogues(dialogues, SplitBy::kConversation), Places(kStockPhrase, 0));
  EXPECT_EQ(count_shared(dialogues, {{0}, {1}, {2}}), 1u);
  dialogues.push_back(dialogue("one more", {kSaid, kSaidToo}));
  dialogues.push_back(dialogue("and its neighbour", {kSaidToo}));
  Places alone(kStockPhrase + 2);
  std::iota(alone.begin(), alone.end(), 0);
  alone.back() = kStockPhrase;
  EXPECT_EQ(group_dialogues(dialogues, SplitBy::kConversation), alone);
  EXPECT_EQ(count_shared(dialogues, {{0}, {1}, {2}}), 0u);
}

TEST(GroupDialogues, ByTheId) {
  const std::vector<Dialogue> dialogues = {
      dialogue("day/#a/2013-01-30/7", {"x"}), dialogue("day/#b/2013-01-30/7", {"x"}),
      dialogue("day/#a/2013-01-31/7", {"x"}), dialogue("day/#a/2013-01-30/8", {"x"})};
  EXPECT_EQ(group_dialogues(dialogues, SplitBy::kDay), (Places{0, 0, 1, 0}));
  EXPECT_EQ(group_dialogues({dialogue("2013-01-30/of/2013-01-31", {"x"}),
                             dialogue("2013-01-30/of/2013-01-29", {"x"}),
                             dialogue("2013-01-31/of/2013-01-31", {"x"})},
                            SplitBy::kDay),  // the first date
            (Places{0, 0, 1}));
  EXPECT_EQ(group_dialogues(dialogues, SplitBy::kFolder), (Places{0, 1, 2, 0}));
  EXPECT_EQ(group_dialogues(dialogues, SplitBy::kDialogue), (Places{0, 1, 2, 3}));
  EXPECT_EQ(
      error_of<DataError>([] { group_dialogues({dialogue("d1", {"x"})}, SplitBy::kDay); }),
      "dialogue 'd1': its id holds no date such as 2024-12-31; it may be split by conversation");
  EXPECT_EQ(error_of<DataError>([] { group_dialogues({dialogue("d1", {"x"})}, SplitBy::kFolder); }),
            "dialogue 'd1': its id holds no '/'; it may be split by conversation");
  EXPECT_EQ(error_of<DataError>([] { group_dialogues({dialogue("d1", {"x"})}, SplitBy::kFilm); }),
            "dialogue 'd1': its id holds no ':'; it may be split by conversation");
  EXPECT_EQ(group_dialogues({dialogue("b/up:1.txt:1", {"x"}), dialogue("b/up:1.txt:12", {"x"}),
                             dialogue("a/up:1.txt:1", {"x"})},
                            SplitBy::kFilm),
            (Places{0, 0, 1}));
}

Dialogue of_part(const std::vector<std::string>& part) {
  Dialogue d = dialogue("d", {"x"});
  d.notes.edit().labels["part"] = part;
  return d;
}

TEST(PublishedParts, AreTheLabelPart) {
  const Parts parts = published_parts(
      {of_part({"test"}), of_part({"train"}), of_part({"valid"}), of_part({"test"})});
  EXPECT_EQ(parts.train, (Places{1}));
  EXPECT_EQ(parts.valid, (Places{2}));
  EXPECT_EQ(parts.test, (Places{0, 3}));
  for (const Dialogue& wrong :
       {of_part({"dev"}), of_part({"train", "test"}), dialogue("d", {"x"})}) {
    EXPECT_EQ(error_of<DataError>([&] {
                published_parts({of_part({"train"}), wrong});
              }),
              "dialogue 'd': its label \"part\" is not train, valid or test; it may be split by "
              "conversation");
  }
}

Places single_groups(size_t count) {
  Places groups(count);
  for (size_t i = 0; i < count; ++i) groups[i] = i;
  return groups;
}

TEST(Split, GivesEachPartItsShare) {
  const Parts parts = split(single_groups(1000), 0.1, 0.25, 1);
  EXPECT_EQ(parts.train.size(), 650u);
  EXPECT_EQ(parts.valid.size(), 100u);
  EXPECT_EQ(parts.test.size(), 250u);
  std::set<size_t> all;
  for (const Places& part : {parts.train, parts.valid, parts.test}) {
    EXPECT_TRUE(std::is_sorted(part.begin(), part.end()));
    all.insert(part.begin(), part.end());
  }
  EXPECT_EQ(all.size(), 1000u);
  const Parts rounded = split(single_groups(14), 0.12, 0.24, 1);  // of 1.68 and 3.36
  EXPECT_EQ(rounded.valid.size(), 2u);
  EXPECT_EQ(rounded.test.size(), 3u);
}

TEST(Split, DependsOnTheSeedAlone) {
  const Places groups = single_groups(100);
  EXPECT_EQ(split(groups, 0.1, 0.1, 1).test, split(groups, 0.1, 0.1, 1).test);
  EXPECT_NE(split(groups, 0.1, 0.1, 1).test, split(groups, 0.1, 0.1, 2).test);
  const Parts twelve = split(single_groups(12), 0.2, 0.2, 1);  // the same on any machine
  EXPECT_EQ(twelve.test, (Places{0, 1}));
  EXPECT_EQ(twelve.valid, (Places{6, 10}));
}

TEST(Split, KeepsGroupsTogether) {
  Places groups;
  for (size_t i = 0; i < 300; ++i) groups.push_back(i % 30);
  const Parts parts = split(groups, 0.2, 0.2, 7);
  std::vector<int> part_of(30, -1);
  int number = 0;
  for (const Places& part : {parts.train, parts.valid, parts.test}) {
    EXPECT_EQ(part.size() % 10, 0u);
    for (size_t i : part) {
      int& known = part_of[groups[i]];
      EXPECT_TRUE(known == -1 || known == number);
      known = number;
    }
    ++number;
  }
  EXPECT_EQ(parts.test.size(), 60u);
}

TEST(Split, FewDialogues) {
  EXPECT_TRUE(split({}, 0.1, 0.1, 1).train.empty());
  const Parts three = split(single_groups(3), 0.1, 0.1, 1);
  EXPECT_EQ(three.train.size() + three.valid.size() + three.test.size(), 3u);
  EXPECT_EQ(three.valid.size(), 1u);
  EXPECT_EQ(three.test.size(), 1u);
  EXPECT_TRUE(split(single_groups(3), 0.1, 0, 1).test.empty());
  const Parts one_group = split({0, 0, 0, 0}, 0.5, 0.5, 1);  // too large for a part
  EXPECT_EQ(one_group.train.size(), 4u);
}

TEST(CountShared, CountsUtterancesNotPlaces) {
  const std::vector<Dialogue> dialogues = {
      dialogue("a", {kSaid, kSaid, "short"}), dialogue("b", {kSaid, kSaidToo, "short"}),
      dialogue("c", {kSaid, "short"}), dialogue("d", {kSaidToo})};
  EXPECT_EQ(count_shared(dialogues, {{0}, {1}, {2, 3}}), 2u);
  EXPECT_EQ(count_shared(dialogues, {{0, 1}, {2}, {}}), 1u);
  EXPECT_EQ(count_shared(dialogues, {{0, 1, 2, 3}, {}, {}}), 0u);
}

}  // namespace
}  // namespace heed
