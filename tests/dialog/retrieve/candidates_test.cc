#include "dialog/retrieve/candidates.h"

#include <set>

#include "base/error.h"
#include "tests/file_helpers.h"

namespace heed::retrieve {
namespace {

using From = ListKind::From;

// d0 has the turns c0, q0, r0, and so on.
std::vector<Dialogue> numbered(size_t count) {
  std::vector<Dialogue> dialogues;
  for (size_t i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    dialogues.push_back({"d" + n, {{"", "c" + n}, {"", "q" + n}, {"", "r" + n}}});
  }
  return dialogues;
}

std::string texts_of(const Lists& lists, size_t list) {
  std::string all;
  for (const int32_t candidate : lists.candidates(list)) all += lists.texts()[candidate] + " ";
  return all;
}

Lists lists_of(const std::vector<Dialogue>& dialogues, const ListKind& kind) {
  return Lists("f", dialogues, make_pairs(dialogues, {.min_turns = 2}, true), kind);
}

TEST(Pairs, HaveAContext) {
  const std::vector<Dialogue> dialogues = {
      {"a", {{"", "one"}, {"", "two"}, {"", "three", true}, {"", "four"}}}, {"b", {{"", "alone"}}}};
  const auto all = make_pairs(dialogues, {.all_positions = true, .min_turns = 2}, true);
  ASSERT_EQ(all.size(), 2u);  // nobody answers with a distraction
  EXPECT_EQ(context_text(dialogues, all[0]), "one");
  EXPECT_EQ(context_text(dialogues, all[1]), "one two three");
  EXPECT_EQ(id_of(dialogues, all[1], true), "a#4");
  EXPECT_EQ(id_of(dialogues, all[1], false), "a");
  const auto last = make_pairs(dialogues, {}, false);
  ASSERT_EQ(last.size(), 1u);
  EXPECT_EQ(context_text(dialogues, last[0]), "three");
}

TEST(ListKinds, AreParsed) {
  EXPECT_EQ(parse_list_kind("given").from, From::kGiven);
  EXPECT_EQ(parse_list_kind("stride:2").size, 2);
  EXPECT_EQ(parse_list_kind("random:1000").from, From::kRandom);
  EXPECT_EQ(parse_list_kind("random:1000").size, 1000);
  const auto error = [](const char* name) {
    return error_of<UsageError>([&] { parse_list_kind(name); });
  };
  for (const char* name : {"stride:1", "stride:", "stride:0x8", "stride:-5", "stride:9 ",
                           "stride:99999999999999999999"}) {
    EXPECT_EQ(error(name),
              std::string("lists: stride: takes a whole number from 2 on, got '") + name + "'");
  }
  EXPECT_EQ(parse_list_kind("whitelist:a:b").pool, "a:b");
  EXPECT_EQ(parse_list_kind("covered:f").from, From::kCovered);
  for (const std::string name : {"pool", "covered:"}) {
    EXPECT_EQ(error(name.c_str()),
              "lists: expected given, stride:N, random:N, whitelist:FILE or covered:FILE, got '" +
                  name + "'");
  }
}

// With N = floor(7 / 3) = 2: batches 0, 2, 4 and 1, 3, 5.
TEST(Lists, ByStrideHoldNoNeighbours) {
  const Lists lists = lists_of(numbered(7), {.from = From::kStride, .size = 3});
  ASSERT_EQ(lists.size(), 6u);
  EXPECT_EQ(lists.left_out(), 1u);
  EXPECT_EQ(texts_of(lists, 0), "r0 r2 r4 ");
  EXPECT_EQ(texts_of(lists, 1), "r1 r3 r5 ");
  EXPECT_EQ(texts_of(lists, 4), "r4 r0 r2 ");
  EXPECT_EQ(lists.pair(4).dialogue, 4u);
}

TEST(Lists, GivenOnesMayHaveAnyLength) {
  std::vector<Dialogue> dialogues = numbered(3);
  dialogues[0].turns[2].notes.edit().candidates = {"x", "r0", "y", "x"};
  dialogues[2].turns[2].notes.edit().candidates = {"r0"};
  const Lists lists = lists_of(dialogues, {.from = From::kGiven});
  ASSERT_EQ(lists.size(), 2u);
  EXPECT_EQ(lists.left_out(), 1u);
  EXPECT_EQ(texts_of(lists, 0), "r0 x r0 y x ");
  EXPECT_EQ(texts_of(lists, 1), "r2 r0 ");
  EXPECT_EQ(lists.pair(1).dialogue, 2u);
  const Duplicates duplicates = find_duplicates(lists);
  EXPECT_EQ(duplicates.right, 1u);
  EXPECT_EQ(duplicates.others, 1u);
  EXPECT_EQ(duplicates.shortest, 2u);
  EXPECT_EQ(duplicates.longest, 5u);
}

TEST(Lists, DrawnOnesAreDifferentAndFollowTheSeed) {
  std::vector<Dialogue> dialogues = numbered(60);
  for (size_t i = 0; i < 30; ++i) dialogues[i].turns[2].text = "yes";  // half of all
  const auto drawn = [&](uint64_t seed) {
    const Lists lists = lists_of(dialogues, {.from = From::kRandom, .size = 4, .seed = seed});
    EXPECT_EQ(lists.size(), 60u);
    EXPECT_EQ(lists.left_out(), 0u);
    EXPECT_EQ(find_duplicates(lists).right + find_duplicates(lists).others, 0u);
    std::vector<std::string> all;
    for (size_t i = 0; i < lists.size(); ++i) all.push_back(texts_of(lists, i));
    return all;
  };
  const std::vector<std::string> one = drawn(1);
  EXPECT_EQ(one, drawn(1));
  EXPECT_NE(one, drawn(2));
  EXPECT_TRUE(one[59].starts_with("r59 "));
  EXPECT_TRUE(one[0].starts_with("yes ") && !has(one[0].substr(4), "yes "));
  EXPECT_NE(one[0], one[1]);
  // As one of three drawn without repetition, of 29 texts said once and one said 30 times:
  // 1 - (29/59) (28/58) (27/57) = 0.888; a text said once 3/30 if all were alike.
  size_t with_yes = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const std::vector<std::string> lists = drawn(seed);
    for (size_t i = 30; i < 60; ++i) with_yes += has(lists[i], " yes ");
  }
  EXPECT_NEAR(static_cast<double>(with_yes) / 300, 0.888, 0.05);
}

TEST(Lists, SayWhatCannotBeMade) {
  const auto error = [](size_t dialogues, const ListKind& kind) {
    return error_of<Error>([&] { lists_of(numbered(dialogues), kind); });
  };
  EXPECT_EQ(error(1, {.from = From::kStride, .size = 2}),
            "f: 1 response, too few for lists of 2; more dialogues or smaller lists are needed");
  EXPECT_EQ(
      error(99, {.from = From::kStride}),
      "f: 99 responses, too few for lists of 100; more dialogues or smaller lists are needed");
  EXPECT_EQ(error(3, {.from = From::kGiven}), "f: no response has candidates beside it");
  EXPECT_EQ(error(5, {.from = From::kRandom, .size = 6}),
            "f: 5 different responses, too few for lists of 6; more dialogues or smaller lists are "
            "needed");
  std::vector<Dialogue> same = numbered(4);
  for (Dialogue& d : same) d.turns[2].text = "yes";
  EXPECT_EQ(error_of<DataError>([&] { lists_of(same, {.from = From::kRandom, .size = 2}); }),
            "f: 1 different response, too few for lists of 2; more dialogues or smaller lists are "
            "needed");
}

// A list of all responses that there are, and as many scores as there may be.
TEST(Lists, MayBeAsLargeAsTheLimits) {
  const Lists all = lists_of(numbered(3), {.from = From::kStride, .size = 3});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(texts_of(all, 1), "r1 r0 r2 ");
  const Lists random = lists_of(numbered(3), {.from = From::kRandom, .size = 3});
  ASSERT_EQ(random.size(), 3u);
  EXPECT_EQ(random.candidates(2).size(), 3u);
  const std::vector<Dialogue> one = numbered(1);
  const auto lists = [&](size_t pairs) {
    const std::vector<Pair> same(pairs, Pair{0, 0, 2});
    return Lists("f", one, same, {.from = From::kStride, .size = 5000}).size();
  };
  EXPECT_EQ(lists(30'000), 30'000u);  // 150 million scores
  EXPECT_EQ(error_of<UsageError>([&] { lists(35'000); }),
            "35000 lists of 5000 candidates are more than 150000000 scores");
}

// However often a list has the right text, it is one list.
TEST(Lists, AreCountedOnceHoweverOftenTheyHaveTheRightText) {
  std::vector<Dialogue> dialogues = numbered(3);
  dialogues[0].turns[2].notes.edit().candidates = {"r0", "x", "r0", "r0"};
  dialogues[1].turns[2].notes.edit().candidates = {"x", "x", "y", "y", "x"};
  dialogues[2].turns[2].notes.edit().candidates = {"r2", "y"};
  const Duplicates found = find_duplicates(lists_of(dialogues, {.from = From::kGiven}));
  EXPECT_EQ(found.right, 2u);
  EXPECT_EQ(found.others, 3u);
  EXPECT_EQ(found.shortest, 3u);
  EXPECT_EQ(found.longest, 6u);
}

// "R1!" is said in d1, and "r9" nowhere.
TEST(Lists, OfAWhitelistHaveItsTextsAndTheResponse) {
  const TempDir dir;
  const std::string file = dir.write("pool", "r9\nR1!\n:)\n");
  const auto dialogues = numbered(3);
  const Lists all = lists_of(dialogues, {.from = From::kWhitelist, .pool = file});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(texts_of(all, 0), "r0 r9 R1! :) ");
  EXPECT_EQ(texts_of(all, 1), "R1! r9 :) ");  // the same words
  EXPECT_EQ(texts_of(all, 2), "r2 r9 R1! :) ");
  const Lists covered = lists_of(dialogues, {.from = From::kCovered, .pool = file});
  ASSERT_EQ(covered.size(), 1u);
  EXPECT_EQ(covered.left_out(), 2u);
  EXPECT_EQ(covered.pair(0).dialogue, 1u);
  EXPECT_EQ(texts_of(covered, 0), "R1! r9 :) ");
  // Of two texts with its words the first one is right.
  const std::string forms = dir.write("forms", "r9\nr1 ?\nR1!\n");
  for (const From from : {From::kWhitelist, From::kCovered}) {
    const Lists lists = lists_of(dialogues, {.from = from, .pool = forms});
    EXPECT_EQ(texts_of(lists, from == From::kCovered ? 0 : 1), "r1 ? r9 R1! ");
  }
  const std::string other = dir.write("other", "x\ny\n");
  EXPECT_EQ(
      error_of<DataError>([&] { lists_of(dialogues, {.from = From::kCovered, .pool = other}); }),
      "f: no response is a text of " + other);
}

}  // namespace
}  // namespace heed::retrieve
