// Slot carryover against PyTorch's numbers, and what must hold for any items.
#include "dialog/carry/carryover.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "dialog/carry/task.h"
#include "nn/init.h"
#include "nn/safetensors.h"
#include "optim/optimizer.h"
#include "tests/nn/nn_helpers.h"
#include "tests/paths.h"
#include "train/settings.h"

namespace heed::carry {
namespace {

const std::vector<Encoded> kThreeItems = {
    {{14, 5, 6, 7, 4, 13, 8, 4}, {9}, {{{10}, 1, 3, 1}, {{11, 12}, 6, 7, 0}}, {0}},
    {{13, 5, 9, 4, 14, 12, 4, 13, 7, 7, 6, 4},
     {5, 6},
     {{{10}, 1, 2, 2}, {{10}, 5, 6, 1}, {{12, 5}, 8, 11, 0}, {{8}, 0, 1, 2}},
     {0, 2, 3}},
    {{13, 11, 6, 4}, {}, {{{9, 9, 7}, 1, 3, 0}}, {}}};

Config tiny(const std::string& decoder, const std::string& value = "lstm") {
  return {.decoder = decoder,
          .value = value,
          .vocab_size = 13,
          .embedding_size = 5,
          .hidden_size = 4,
          .heads = 3,
          .head_size = 2,
          .dropout = 0};
}

// Weights as large as those of a trained model, so that decisions differ.
Carryover drawn(const Config& config, uint64_t seed = 1) {
  Carryover model(config);
  init_uniform(model, -1, 1, seed);
  convert(model, DType::f64);
  return model;
}

constexpr const char* kKinds[] = {"pointer", "pointer-average", "self-attention", "independent"};

// tests/reference/generate/make_carryover.py
class CarryoverIsPyTorchs : public testing::TestWithParam<std::tuple<const char*, DType>> {};
INSTANTIATE_TEST_SUITE_P(Kinds, CarryoverIsPyTorchs,
                         testing::Combine(testing::ValuesIn(kKinds),
                                          testing::Values(DType::f64, DType::f32)),
                         [](const auto& row) {
                           std::string name = std::get<0>(row.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name + "_" + name_of(std::get<1>(row.param));
                         });

TEST_P(CarryoverIsPyTorchs, LossGradientsDecisionsAndFiveSteps) {
  const auto [name, dtype] = GetParam();
  const double tolerance = dtype == DType::f64 ? 1e-10 : 1e-5;
  const TensorMap expected =
      load_tensors(source_dir() + "/tests/reference/carryover/" + name + ".safetensors");
  Carryover model(std::string(name) == "pointer-average" ? tiny(kPointer, "average") : tiny(name));
  convert(model, dtype);
  for (const NamedParameter& p : parameters(model)) {
    p.var.set_value(expected.at("parameters." + p.name).clone().to(dtype));
  }
  const ItemBatch batch = make_batch(kThreeItems);
  const Var loss = model.loss(batch);
  EXPECT_NEAR(loss.value().item(), expected.at("loss").to_vector()[0], tolerance);
  loss.backward();
  for (const NamedParameter& p : parameters(model)) {
    SCOPED_TRACE(p.name);
    expect_near(p.var.grad().to_vector(), expected.at("gradients." + p.name).to_vector(),
                tolerance);
  }
  Vec carry, probabilities;
  for (const Decision& decision : model.decide(batch)) {
    carry.insert(carry.end(), decision.carry.begin(), decision.carry.end());
    probabilities.insert(probabilities.end(), decision.p.begin(), decision.p.end());
  }
  expect_near(carry, expected.at("carry").to_vector());
  expect_near(probabilities, expected.at("p").to_vector(), tolerance);
  const auto optimizer = make_optimizer(model, {.name = "adam"});
  optimizer->rate = 0.01;
  for (const double after : expected.at("steps").to_vector()) {
    optimizer->step();
    zero_grad(model);
    const Var next = model.loss(batch);
    // of a gradient that is nearly 0 Adam takes the sign alone: f32 is less near
    EXPECT_NEAR(next.value().item(), after, dtype == DType::f64 ? 1e-10 : 1e-3);
    next.backward();
  }
}

TEST(Carryover, APermutedBatchGivesPermutedResults) {
  const std::vector<Encoded> turned = {kThreeItems[2], kThreeItems[0], kThreeItems[1]};
  for (const char* decoder : {kPointer, kSelfAttention, kIndependent}) {
    SCOPED_TRACE(decoder);
    const Carryover model = drawn(tiny(decoder));
    const auto a = model.decide(make_batch(kThreeItems)), b = model.decide(make_batch(turned));
    for (size_t i = 0; i < kThreeItems.size(); ++i) {
      const auto alone = model.decide(make_batch({kThreeItems[i]}));
      for (const Decision* other : {&b[(i + 1) % 3], &alone[0]}) {
        EXPECT_EQ(other->carry, a[i].carry);
        expect_near(other->p, a[i].p, 1e-14);
        expect_near(other->look, a[i].look, 1e-14);
      }
    }
    EXPECT_NEAR(model.loss(make_batch(kThreeItems)).value().item(),
                model.loss(make_batch(turned)).value().item(), 1e-14);
  }
}

TEST(Carryover, PermutedSlotsGiveAnAttentionsPermutedAnswers) {
  const std::vector<int32_t> place = {2, 0, 3, 1};
  const Encoded turned = ordered(kThreeItems[1], place);
  EXPECT_EQ(turned.gold, (std::vector<int32_t>{0, 1, 2}));
  for (const char* decoder : {kSelfAttention, kIndependent}) {
    const Carryover model = drawn(tiny(decoder));
    const Decision a = model.decide(make_batch({kThreeItems[1]}))[0],
                   b = model.decide(make_batch({turned}))[0];
    for (size_t i = 0; i < place.size(); ++i) {
      EXPECT_NEAR(b.p[i], a.p[static_cast<size_t>(place[i])], 1e-14);
      if (a.look.empty()) continue;
      EXPECT_NEAR(b.look[i], a.look[static_cast<size_t>(place[i])], 1e-14);
    }
  }
}

// Otherwise a bug that lets it choose a slot twice would never end.
TEST(Carryover, APointerChoosesNoSlotTwiceAndStops) {
  size_t chosen = 0, slots = 0, unsorted = 0;
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const Carryover model = drawn(tiny(kPointer), seed);
    for (const Decision& decision : model.decide(make_batch(kThreeItems))) {
      std::vector<int32_t> in_order = decision.chosen, carried;
      std::sort(in_order.begin(), in_order.end());
      double sum = 0;
      for (size_t i = 0; i < decision.carry.size(); ++i) {
        if (decision.carry[i]) carried.push_back(static_cast<int32_t>(i));
        EXPECT_EQ(decision.p[i] > 0, decision.carry[i] == 1);
        sum += decision.look[i];
        chosen += static_cast<size_t>(decision.carry[i]);
        ++slots;
      }
      EXPECT_LE(sum, 1 + 1e-12);
      EXPECT_EQ(in_order, carried);  // each once
      unsorted += decision.chosen != in_order;
    }
  }
  EXPECT_GT(chosen, slots / 10);
  EXPECT_LT(chosen, slots * 9 / 10);
  EXPECT_GT(unsorted, 3u);  // the order is that of the choices
}

// Of a step that chooses nothing, and of one before it, the loss tells what the end got: the rest
// is on the slots, and the looks are its mean over the steps.
TEST(Carryover, APointersLooksAreTheMeanOfItsSteps) {
  int none = 0, one = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const Carryover model = drawn(tiny(kPointer), seed);
    for (Encoded item : kThreeItems) {
      const Decision decision = model.decide(make_batch({item}))[0];
      const auto p_of = [&](const std::vector<int32_t>& gold) {
        item.gold = gold;
        return std::exp(-model.loss(make_batch({item})).value().item());
      };
      const auto count = std::count(decision.carry.begin(), decision.carry.end(), 1);
      if (count > 1) continue;
      double ends = p_of({});  // on the end, in the mean over the steps
      if (count == 1) {
        const auto slot = std::find(decision.carry.begin(), decision.carry.end(), 1);
        const auto chosen = static_cast<int32_t>(slot - decision.carry.begin());
        ends = (ends + p_of({chosen}) / decision.p[static_cast<size_t>(chosen)]) / 2;
      }
      ++(count == 0 ? none : one);
      double sum = 0;
      for (const double look : decision.look) sum += look;
      EXPECT_NEAR(sum, 1 - ends, 1e-10) << count;
    }
  }
  EXPECT_GT(none, 3);
  EXPECT_GT(one, 3);
}

TEST(Carryover, AttentionsLooksSumToOne) {
  const Carryover model = drawn(tiny(kSelfAttention));
  for (const Decision& decision : model.decide(make_batch(kThreeItems))) {
    double sum = 0;
    for (const double look : decision.look) sum += look;
    EXPECT_NEAR(sum, 1, 1e-12);
  }
  EXPECT_TRUE(drawn(tiny(kIndependent)).decide(make_batch(kThreeItems))[0].look.empty());
}

// Of all heads alike: the looks are their mean, in whatever order they are.
TEST(Carryover, AttentionsLooksAreTheMeanOfItsHeads) {
  const Carryover model = drawn(tiny(kSelfAttention)), turned = drawn(tiny(kSelfAttention));
  for (const NamedParameter& p : parameters(turned)) {
    if (p.name.find("query") == p.name.npos && p.name.find("key") == p.name.npos &&
        p.name.find("bilinear") == p.name.npos) {
      continue;
    }
    Vec heads = p.var.value().to_vector();
    std::rotate(heads.begin(), heads.begin() + std::ssize(heads) / 3, heads.end());
    p.var.set_value(Tensor::from(heads, p.var.shape()));
  }
  const auto a = model.decide(make_batch(kThreeItems)), b = turned.decide(make_batch(kThreeItems));
  for (size_t i = 0; i < kThreeItems.size(); ++i) expect_near(b[i].look, a[i].look, 1e-12);
  EXPECT_NE(b[1].p, a[1].p);  // what they say goes elsewhere
}

TEST(Carryover, AnOrderKeepsTheSlots) {
  Rng rng(1);
  for (const char* order : {kNoOrder, kTurnOrder, kTemporal}) {
    std::vector<int32_t> place = order_of(kThreeItems[1], order, rng);
    if (std::string(order) == kTurnOrder) {
      EXPECT_EQ(kThreeItems[1].slots[static_cast<size_t>(place[2])].distance, 1);
      EXPECT_EQ(place[3], 2);  // the only one at distance 0
    }
    std::sort(place.begin(), place.end());
    EXPECT_EQ(place, (std::vector<int32_t>{0, 1, 2, 3}));
  }
}

// Also where the model itself no longer tells distances apart.
TEST(Carryover, TheOrderByTurnGoesOnBeyondTheFarthestDistance) {
  Item item{.id = "a", .turns = std::vector<Turn>(30, Turn{"user", "word"})};
  for (int32_t turn = 0; turn < 30; ++turn) item.candidates.push_back({.turn = turn});
  const Encoded encoded = encode(item, Vocabulary::build({}, {}));
  Rng rng(1);
  std::vector<int32_t> in_turn(30);
  std::iota(in_turn.begin(), in_turn.end(), 0);
  EXPECT_EQ(order_of(encoded, kTurnOrder, rng), in_turn);
  const std::vector<double> distances = make_batch({encoded}, {}).distances.to_vector();
  EXPECT_EQ(distances[0], kFarthest);
  EXPECT_EQ(distances[29], 0);
}

TEST(Carryover, NamesAreReadWordByWord) {
  using Words = std::vector<std::string>;
  const Vocabulary words = Vocabulary::build({{"check", 3}, {"in", 2}, {"date", 1}}, {});
  const Item item{.id = "a",
                  .intent = "check_in",
                  .turns = {{"user", "in"}},
                  .candidates = {{.key = "check-in_date", .value = "in", .end = 2}, {.key = "-"}}};
  const Encoded encoded = encode(item, words);
  EXPECT_EQ(encoded.intent, words.encode(Words{"check", "in"}));
  EXPECT_EQ(encoded.slots[0].key, words.encode(Words{"check", "in", "date"}));
  EXPECT_EQ(encoded.slots[1].key, std::vector<int32_t>{kUnk});  // no word at all
}

// In the middle of a turn it is its words; where there are none, the word of who speaks.
TEST(Carryover, AValueOfATurnWithoutWordsIsItsSpeaker) {
  const Vocabulary words = Vocabulary::build({{"in", 2}, {"rio", 1}}, {});
  const Item item{.id = "a",
                  .turns = {{"user", "in rio"}, {"system", " "}, {"user", "in"}},
                  .candidates = {{.turn = 0, .key = "in", .begin = 3, .end = 6},
                                 {.turn = 1, .key = "in", .begin = 0, .end = 1},
                                 {.turn = 2, .key = "in", .begin = 0, .end = 2}}};
  const Encoded encoded = encode(item, words);  // user in rio <eou> system <eou> user in <eou>
  ASSERT_EQ(encoded.tokens.size(), 9u);
  const std::vector<std::pair<int32_t, int32_t>> spans = {{2, 3}, {4, 5}, {7, 8}};
  for (size_t i = 0; i < spans.size(); ++i) {
    EXPECT_EQ(std::pair(encoded.slots[i].begin, encoded.slots[i].end), spans[i]) << i;
  }
  EXPECT_EQ(encoded.tokens[4], words.size() + 1);  // not who speaks last
}

TEST(Carryover, CountsItsParameters) {
  for (const char* decoder : {kPointer, kSelfAttention, kIndependent}) {
    const Carryover model(tiny(decoder));
    Settings s;
    s.model = tiny(decoder);
    EXPECT_EQ(Own::size(s), static_cast<double>(parameter_count(model)));
  }
}

}  // namespace
}  // namespace heed::carry
