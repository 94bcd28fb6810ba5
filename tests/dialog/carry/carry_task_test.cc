// What a training of slot carryover reads and counts.
#include <gtest/gtest.h>

#include <cmath>

#include "dialog/carry/task.h"
#include "nn/init.h"
#include "tests/dropout_masks.h"
#include "tests/file_helpers.h"

namespace heed::carry {
namespace {

Item item_of(const std::string& id, const std::string& dialogue,
             const std::vector<std::string>& turns) {
  Item item{.id = id, .dialogue = dialogue, .labelled = true};
  for (size_t i = 0; i < turns.size(); ++i) {
    item.turns.push_back({i % 2 ? "system" : "user", turns[i]});
  }
  item.candidates = {{.turn = 0, .key = "from_city", .value = "value"},
                     {.turn = 0, .key = "day", .value = "value", .from = "taxis"}};
  item.carry = {1, 0};
  return item;
}

// Items of growing dialogues, of which the first two are of the same one.
std::string growing_items() {
  std::vector<Item> items = {item_of("a1", "a", {"one"}), item_of("a2", "a", {"one", "ten ten"}),
                             item_of("b1", "b", {"two two", "ten"}),
                             item_of("c1", "c", {"six two", "six six six"})};
  items[1].intent = "find_room";
  std::string lines;
  for (const Item& item : items) lines += item_line(item);
  return lines;
}

struct GrowingItems {
  TempDir dir;
  Settings settings = Runs::preset("smoke");
  GrowingItems() {
    dir.write("data/train.jsonl", growing_items());
    dir.write("data/valid.jsonl", growing_items());
    settings.model.dropout = 0;
  }
  TrainData read() const { return load_train_data(dir.path("data"), settings); }
};

// A turn that stands in several items of a dialogue is counted once; keys and intents of all.
TEST(CarryData, ItsWordsAreOfTurnsKeysAndIntents) {
  const GrowingItems items;
  const Vocabulary words = items.read().vocabulary;
  for (const char* word : {"one", "two", "six", "ten", "from", "city", "day", "find", "room"}) {
    EXPECT_NE(words.id(word), kUnk) << word;
  }
  EXPECT_EQ(words.id("value"), kUnk);
  // city, day and from 4 times and six, too; then ten and two 3 times; then one, find and room once
  EXPECT_EQ(words.size(), kSpecialTokens + 9);
  EXPECT_LT(words.id("six"), words.id("ten"));
  EXPECT_LT(words.id("ten"), words.id("two"));
  EXPECT_LT(words.id("two"), words.id("find"));
  EXPECT_LT(words.id("find"), words.id("one"));
  EXPECT_LT(words.id("one"), words.id("room"));
}

// Of both parts.
TEST(CarryData, ReadsTheSetOfItsSettings) {
  GrowingItems items;
  const auto slots = [&](const std::string& set) {
    items.settings.set = set;
    const TrainData data = items.read();
    EXPECT_EQ(data.train.size(), 4u);
    EXPECT_EQ(data.valid.size(), 4u);
    std::pair<size_t, size_t> count;
    for (const Encoded& item : data.train) count.first += item.slots.size();
    for (const Item& item : data.valid) count.second += item.candidates.size();
    for (const Encoded& item : data.train) EXPECT_EQ(item.gold.size(), set == "cross" ? 0u : 1u);
    return count;
  };
  using Counts = std::pair<size_t, size_t>;
  EXPECT_EQ(slots("both"), Counts(8, 8));
  EXPECT_EQ(slots("same"), Counts(4, 4));
  EXPECT_EQ(slots("cross"), Counts(4, 4));
}

// The loss of a batch is a mean over its items, and so is that of an epoch.
TEST(CarryData, ALossIsAMeanOverItems) {
  GrowingItems items;
  for (const char* decoder : {kPointer, kSelfAttention}) {
    items.settings.model.decoder = decoder;
    const TrainData data = items.read();
    items.settings.model.vocab_size = data.vocabulary.size();
    LoadedCarryover loaded{Carryover(items.settings.model), data.vocabulary};
    init(loaded.model, 1);
    const Task task = Own::task(loaded, items.settings, data);
    const Loss all = task.loss({0, 1, 2, 3}, {});
    double sum = 0;
    for (int64_t i = 0; i < 4; ++i) sum += task.loss({i}, {}).nll;
    EXPECT_NEAR(all.nll, sum / 4, 1e-5) << decoder;
    Counts counts = all.counts;  // of two batches of an epoch
    for (const auto& [name, value] : task.loss({2}, {}).counts) counts[name] += value;
    const double mean = (sum + task.loss({2}, {}).nll) / 5;
    EXPECT_NEAR(value_of(task.measure(counts), kTrainLoss), mean, 1e-5) << decoder;
    // speakers and ends of turns are tokens, too
    EXPECT_EQ(task.sizes, (std::vector<int64_t>{3, 7, 7, 9}));
    EXPECT_EQ(all.tokens, 26);
    EXPECT_EQ(task.describe({0, 3}), "2 items of 12 tokens and 4 candidates");
  }
}

// Items without candidates are not decided on, and not counted.
TEST(CarryData, TellsHowManyItemsAreDecidedOn) {
  GrowingItems items;
  const TrainData data = items.read();
  items.settings.model.vocab_size = data.vocabulary.size();
  Carryover model(items.settings.model);
  init(model, 1);
  std::vector<Item> some = data.valid;
  some[1].candidates.clear();
  std::vector<std::pair<int64_t, int64_t>> told;
  const auto decisions = decide(model, data.vocabulary, some, 2,
                                [&](int64_t done, int64_t of) { told.emplace_back(done, of); });
  EXPECT_EQ(told, (std::vector<std::pair<int64_t, int64_t>>{{2, 3}, {3, 3}}));
  EXPECT_TRUE(decisions[1].carry.empty());
  for (const size_t i : {0, 2, 3}) EXPECT_EQ(decisions[i].p.size(), 2u) << i;
}

// Words, keys, intents, slots and contexts have masks of their own, and what stands behind them.
TEST(CarryData, DropsAtEachOfItsPlaces) {
  GrowingItems items;
  for (const auto& [decoder, places] : {std::pair(kPointer, size_t{5}), {kSelfAttention, 6}}) {
    items.settings.model.decoder = decoder;
    const TrainData data = items.read();
    items.settings.model.vocab_size = data.vocabulary.size();
    Carryover model(items.settings.model);
    init(model, 1);
    const auto masks = dropout_masks(model.loss(make_batch(data.train), DropoutMode(0.5, 1, 1)));
    EXPECT_EQ(masks.size(), places) << decoder;
    for (size_t a = 0; a < masks.size(); ++a) {
      for (size_t b = 0; b < a; ++b) EXPECT_NE(masks[a], masks[b]) << a << " " << b;
    }
  }
}

// All 40 epochs, whatever the validation says; the others end early.
TEST(CarryData, ThePapersPresetGoesOnToItsEnd) {
  const Settings paper = Runs::preset("paper");
  EXPECT_EQ(paper.loop.schedule.stop_after, 0);
  EXPECT_EQ(paper.loop.max_epochs, 40);
  EXPECT_EQ(paper.model.heads, 80);
  EXPECT_EQ(paper.model.head_size, 64);
  EXPECT_EQ(paper.model.embedding_size, 300);
  EXPECT_EQ(paper.model.hidden_size, 300);
  for (const char* other : {"laptop", "smoke"}) {
    EXPECT_EQ(Runs::preset(other).loop.schedule.stop_after, 3) << other;
  }
}

}  // namespace
}  // namespace heed::carry
