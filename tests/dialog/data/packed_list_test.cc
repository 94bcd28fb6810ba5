// Lists of examples as bytes.
#include "dialog/data/packed_list.h"

#include <gtest/gtest.h>

#include <cstring>

#include "dialog/data/distraction.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

// Every field has a value of its own.
Example full_example() {
  Example e{"d#4", "d", {{10, 11}, {}, {12}}, {0, 1, 0}, {13, 14, 15}};
  e.cut = {.turns = 1, .distractions = 2, .utterances = 3, .context = true, .response = false};
  e.response_is_distraction = true;
  e.characters = {.all = 4, .unknown = 5};
  e.unknown = {"zwölf", "x"};
  e.conditions = {{7, 8}, {}, {9}};
  return e;
}

void expect_full_example(const Example& e) {
  const Example full = full_example();
  EXPECT_EQ(e.id, full.id);
  EXPECT_EQ(e.dialogue_id, full.dialogue_id);
  EXPECT_EQ(e.context, full.context);
  EXPECT_EQ(e.distraction, full.distraction);
  EXPECT_EQ(e.response, full.response);
  EXPECT_EQ(e.cut.turns, 1);
  EXPECT_EQ(e.cut.distractions, 2);
  EXPECT_EQ(e.cut.utterances, 3);
  EXPECT_TRUE(e.cut.context);
  EXPECT_FALSE(e.cut.response);
  EXPECT_TRUE(e.response_is_distraction);
  EXPECT_EQ(e.characters.all, 4);
  EXPECT_EQ(e.characters.unknown, 5);
  EXPECT_EQ(e.unknown, full.unknown);
  EXPECT_EQ(e.conditions, full.conditions);
}

TEST(PackedList, KeepsEverything) {
  const Example empty;
  PackedList<Example> list = {empty, full_example()};
  EXPECT_EQ(list.size(), 2u);
  list.push_back(full_example());
  expect_full_example(list[1]);
  expect_full_example(list[2]);
  EXPECT_EQ(list[0].id, "");
  EXPECT_TRUE(list[0].context.empty());
  int seen = 0;
  for (const Example e : list) seen += static_cast<int>(e.context.size());
  EXPECT_EQ(seen, 6);
  EXPECT_EQ(PackedList<Example>(list.to_vector()).packed().rows(), list.packed().rows());
  EXPECT_TRUE(PackedList<Example>().empty());
  EXPECT_THROW(list[3], InternalError);
}

Bytes copy_of(std::string_view text) {
  Bytes bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

// A list is what its two blocks say, wherever they are; it does not grow in the memory of others.
TEST(PackedList, MayLieElsewhere) {
  Pool own = {{"x", {1}}, {"y", {}}, {"z", {{2, 3}, {"two", "drei"}}}}, elsewhere;
  elsewhere.set_packed({copy_of(own.packed().ends()), copy_of(own.packed().rows())});
  ASSERT_EQ(elsewhere.size(), 3u);
  EXPECT_EQ(elsewhere[1].dialogue_id, "y");
  EXPECT_EQ(elsewhere[2].said.tokens, (std::vector<int32_t>{2, 3}));
  EXPECT_EQ(elsewhere[2].said.unknown, (std::vector<std::string>{"two", "drei"}));
  const Pool copy = elsewhere;
  own = {};
  EXPECT_EQ(copy[0].dialogue_id, "x");
  EXPECT_THROW(elsewhere.push_back({"new", {4}}), InternalError);
}

}  // namespace
}  // namespace heed
