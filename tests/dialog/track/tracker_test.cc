// Trackers against PyTorch's numbers, the energy's gradient against differences and against
// logistic regression, and what must hold for any batch.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "nn/safetensors.h"
#include "optim/optimizer.h"
#include "tensor/allocator.h"
#include "tests/dialog/track/tracker_helpers.h"
#include "tests/dropout_masks.h"
#include "tests/paths.h"
#include "train/settings.h"

namespace heed::track {
namespace {

constexpr const char* kCases[] = {"heads", "energy", "text", "independent"};

class TrackerIsPyTorchs : public testing::TestWithParam<std::tuple<const char*, DType>> {};
INSTANTIATE_TEST_SUITE_P(Cases, TrackerIsPyTorchs,
                         testing::Combine(testing::ValuesIn(kCases),
                                          testing::Values(DType::f64, DType::f32)),
                         [](const auto& row) {
                           return std::string(std::get<0>(row.param)) + "_" +
                                  name_of(std::get<1>(row.param));
                         });

// tests/reference/generate/make_tracker.py, which differentiates the energy twice.
TEST_P(TrackerIsPyTorchs, LogitsLossGradientsAndFiveSteps) {
  const auto [name, dtype] = GetParam();
  const double tolerance = dtype == DType::f64 ? 1e-10 : 1e-5;
  const TensorMap expected =
      load_tensors(source_dir() + "/tests/reference/track/" + name + ".safetensors");
  Tracker model(small_config(name));
  convert(model, dtype);
  for (const NamedParameter& p : parameters(model)) {
    p.var.set_value(expected.at("parameters." + p.name).clone().to(dtype));
  }
  const Slots slots = small_slots();
  const auto conversations = small_conversations();
  const TurnBatch batch = make_batch(pointers(conversations), model.config(), {});
  const Tracker::Output out = model(batch, &slots);
  const Vec logits = out.logits.value().to_vector(), in_order = expected.at("logits").to_vector();
  const size_t first[] = {0, 2, 5};  // the row of each conversation's first turn in the reference
  for (size_t r = 0; r < batch.places.size(); ++r) {
    const auto [conversation, turn] = batch.places[r];
    for (size_t i = 0; i < 9; ++i) {
      EXPECT_NEAR(logits[r * 9 + i], in_order[(first[conversation] + turn) * 9 + i], tolerance);
    }
  }
  EXPECT_NEAR(out.loss.item(), expected.at("loss").item(), tolerance);
  const auto optimiser = make_optimizer(model, {.name = "adam"});
  optimiser->rate = 0.01;
  for (int step = 0; step < 5; ++step) {
    zero_grad(model);
    model(batch, &slots).loss.backward();
    if (step == 0) {
      for (const NamedParameter& p : parameters(model)) {
        SCOPED_TRACE(p.name);
        expect_near(p.var.grad().to_vector(), expected.at("gradients." + p.name).to_vector(),
                    tolerance);
      }
    }
    optimiser->step();
  }
  for (const NamedParameter& p : parameters(model)) {
    SCOPED_TRACE(p.name);
    // of a gradient that is nearly 0 Adam takes the sign alone: f32 is less near
    expect_near(p.var.value().to_vector(), expected.at("after_five." + p.name).to_vector(),
                dtype == DType::f64 ? 1e-10 : 2e-3);
  }
}

struct SmallEnergy : testing::Test {
  SmallEnergy() : energy(small_config("energy")) {
    init_uniform(energy, -1, 1, 3);
    convert(energy, DType::f64);
  }
  Energy energy;
  const Var y = random({5, 9}, 1), f = random({5, 4}, 2);
};

TEST_F(SmallEnergy, GradientIsThatOfDifferences) {
  const Vec slope = energy.gradient(y, affine(f, energy.w)).value().to_vector();
  constexpr double kStep = 1e-5;
  for (int64_t i = 0; i < 45; ++i) {
    const auto moved = [&](double by) {
      Vec values = y.value().to_vector();
      values[i] += by;
      const Var at(Tensor::from(values, {5, 9}));
      return (sum(at * affine(f, energy.w)) + sum(energy.w_2 * tanh(affine(at, energy.w_1))))
          .item();
    };
    EXPECT_NEAR(slope[i], (moved(kStep) - moved(-kStep)) / (2 * kStep), 1e-9);
  }
}

// The whole loss of three steps, at every parameter.
TEST(Tracker, LossHasTheGradientOfDifferences) {
  const Slots slots = small_slots();
  const auto conversations = small_conversations();
  for (const char* name : kCases) {
    Tracker model = drawn(small_config(name), 5);
    convert(model, DType::f64);
    const TurnBatch batch = make_batch(pointers(conversations), model.config(), {});
    const GradCheck check = check_gradient(model, [&] { return model(batch, &slots).loss; });
    EXPECT_LT(check.max_error, 1e-6) << name << ": " << check.worst;
  }
}

// With w_2 = 0: y_T = -(sum of eta) W F, logistic regression.
TEST_F(SmallEnergy, WithoutSecondPartIsLogisticRegression) {
  Config config = small_config("independent");
  Energy independent(config);
  EXPECT_FALSE(independent.w_1.defined());
  independent.w.set_value(energy.w.value());
  independent.theta.set_value(energy.theta.value());
  energy.w_2.set_value(Tensor::zeros({3}, DType::f64));
  double etas = 0;
  for (const double theta : energy.theta.value().to_vector()) etas += std::exp(theta);
  const Var expected = affine(f, energy.w) * -etas;
  expect_same(independent.steps(f).back(), expected);
  expect_same(energy.steps(f).back(), expected);
  EXPECT_EQ(energy.steps(f).size(), 3u);
}

TEST(Tracker, WeighsLaterStepsMore) {
  const double expected[] = {0.0625, 0.25 / 3, 0.125, 0.25};  // known_answers.energy
  for (int k = 1; k <= 4; ++k) EXPECT_DOUBLE_EQ(step_weight(k, 4), expected[k - 1]);
}

// Steps are ordinary ops: the memory of a step of training grows linearly with them.
TEST(Tracker, MemoryIsLinearInTheSteps) {
  const Slots slots = small_slots();
  const auto conversations = small_conversations();
  const auto peak = [&](int steps) {
    Config config = small_config("energy");
    config.steps = steps;
    Tracker model = drawn(config, 1);
    const TurnBatch batch = make_batch(pointers(conversations), config, {});
    reset_peak();
    const int64_t before = memory_stats().bytes_in_use;
    model(batch, &slots).loss.backward();
    return static_cast<double>(memory_stats().peak_bytes - before);
  };
  const double ten = peak(10), thirty = peak(30), fifty = peak(50);
  EXPECT_GT(thirty, ten);
  EXPECT_NEAR((fifty - thirty) / (thirty - ten), 1, 0.02);
}

TEST(Tracker, ReadsConversationsInAnyOrderAndAlone) {
  const Slots slots = small_slots();
  for (const char* name : kCases) {
    Tracker model = drawn(small_config(name), 5);
    auto conversations = small_conversations();
    const Beliefs all = track(model, slots, conversations, 8);
    std::reverse(conversations.begin(), conversations.end());
    for (const int64_t batch : {1, 2, 8}) {
      const Beliefs reversed = track(model, slots, conversations, batch);
      for (size_t c = 0; c < 3; ++c) {
        for (size_t t = 0; t < all[c].size(); ++t) {
          EXPECT_EQ(reversed[2 - c][t].state, all[c][t].state);
          expect_near(reversed[2 - c][t].p, all[c][t].p, 1e-6);
        }
      }
    }
  }
}

// Of each slot the most probable value, and every value above one half, as the logits have them.
TEST(Tracker, BelievesWhatItsLogitsSay) {
  const Slots slots = small_slots();
  const auto conversations = small_conversations();
  size_t above = 0, below = 0;
  for (const char* name : kCases) {
    Tracker model(small_config(name));
    init_uniform(model, -1, 1, 5);
    const TurnBatch batch = make_batch(pointers(conversations), model.config(), {});
    const Vec y = model(batch).logits.value().to_vector();
    const Beliefs beliefs = track(model, slots, conversations, 2);
    for (size_t r = 0; r < batch.places.size(); ++r) {
      const Belief& belief = beliefs[batch.places[r].first][batch.places[r].second];
      State state, half;
      for (const Slots::Slot& slot : slots) {
        double sum = 0;
        int64_t best = slot.begin;
        for (int64_t i = slot.begin; i < slot.end; ++i) {
          sum += std::exp(y[r * 9 + i]);
          if (y[r * 9 + i] > y[r * 9 + best]) best = i;
        }
        const auto p = [&](int64_t i) {
          const double e = std::exp(y[r * 9 + i]);
          return model.config().output == "heads" ? e / sum : e / (1 + e);
        };
        EXPECT_NEAR(belief.p[state.size()], p(best), 1e-5) << name;
        state.push_back(static_cast<int32_t>(best));
        for (int64_t i = slot.begin; i < slot.end; ++i) {
          if (p(i) > 0.5) half.push_back(static_cast<int32_t>(i));
          ++(p(i) > 0.5 ? above : below);
        }
      }
      EXPECT_EQ(belief.state, state) << name;
      EXPECT_EQ(belief.above_half, half) << name;
    }
  }
  EXPECT_GT(above, 10u);
  EXPECT_GT(below, 10u);
}

// An act that the labels have twice is one act; each turn has its own, in the order of the rows.
TEST(Tracker, ABatchHasTheActsOfEachTurn) {
  auto conversations = small_conversations();
  conversations[0].turns[1].acts = {2, 0, 2};
  const TurnBatch batch = make_batch(pointers(conversations), small_config("heads"), {});
  const Vec acts = batch.acts.to_vector();
  ASSERT_EQ(acts.size(), batch.turns.size() * 3);
  for (size_t r = 0; r < batch.turns.size(); ++r) {
    const auto [conversation, turn] = batch.places[r];
    const UserTurn& of = conversations[conversation].turns[turn];
    EXPECT_EQ(batch.turns[r], &of);
    for (int32_t act = 0; act < 3; ++act) {
      EXPECT_EQ(acts[r * 3 + act], std::count(of.acts.begin(), of.acts.end(), act) > 0) << r;
    }
  }
}

// Words of both speakers, what is read of a turn, and its state: no two have the same mask.
TEST(Tracker, DropoutFallsOnWordsTurnsAndStates) {
  for (const char* name : {"heads", "text", "independent"}) {
    Config config = small_config(name);
    const Tracker model = drawn(config, 5);
    auto conversations = small_conversations();
    for (Conversation& c : conversations) {
      for (UserTurn& turn : c.turns) turn.system = turn.user;
    }
    const TurnBatch batch = make_batch(pointers(conversations), config, {});
    const auto masks = dropout_masks(sum(model.features(batch, DropoutMode{0.5, 1, 1})));
    ASSERT_EQ(masks.size(), config.machine == "text" ? 4u : 3u) << name;
    std::multiset<size_t> sizes;
    for (size_t i = 0; i < masks.size(); ++i) {
      sizes.insert(masks[i].size());
      for (size_t j = 0; j < i; ++j) EXPECT_NE(masks[i], masks[j]) << name;
    }
    size_t words = 0, read = 8;  // both directions of the user's reader
    for (const UserTurn* turn : batch.turns) words += turn->user.size();
    std::multiset<size_t> expected = {words * 5, batch.turns.size() * 4};
    if (config.machine == "text") expected.insert(words * 5), read += 8;
    if (config.machine == "acts") read += 3;
    expected.insert(batch.turns.size() * read);
    EXPECT_EQ(sizes, expected) << name;
  }
}

// The bounds of the first weights, which some of 4000 come near to, and ln eta.
TEST(Tracker, AnEnergyBeginsWithinItsBounds) {
  Config config = small_config("energy");
  config.values = 25, config.hidden_size = 100, config.energy_size = 160;
  const Tracker model = drawn(config, 3);
  std::map<std::string, double> largest;
  for (const NamedParameter& p : parameters(model)) {
    for (const double x : p.var.value().to_vector()) {
      largest[p.name] = std::max(largest[p.name], std::abs(x));
      if (p.name == "energy.0.theta") {
        EXPECT_NEAR(x, std::log(0.3), 1e-6);
      }
    }
  }
  EXPECT_NEAR(largest.at("energy.0.w"), 0.1, 0.002);
  EXPECT_NEAR(largest.at("energy.0.w_1"), 0.2, 0.004);
  EXPECT_NEAR(largest.at("energy.0.w_2"), 0.2, 0.01);
}

TEST(Tracker, TellsHowManyConversationsAreRead) {
  const Tracker model = drawn(small_config("heads"), 5);
  std::vector<std::pair<int64_t, int64_t>> told;
  track(model, small_slots(), small_conversations(), 2,
        [&](int64_t done, int64_t of) { told.emplace_back(done, of); });
  EXPECT_EQ(told, (std::vector<std::pair<int64_t, int64_t>>{{2, 3}, {3, 3}}));
}

// A turn knows nothing of the turns behind it.
TEST(Tracker, ReadsForward) {
  const Slots slots = small_slots();
  Tracker model = drawn(small_config("energy"), 5);
  auto conversations = small_conversations();
  const Beliefs before = track(model, slots, conversations, 8);
  conversations[1].turns[2].user = {5, kEou};
  const Beliefs after = track(model, slots, conversations, 8);
  EXPECT_EQ(before[1][1].p, after[1][1].p);
  EXPECT_NE(before[1][2].p, after[1][2].p);
}

TEST(Tracker, RefusesSizesThatMakeNoModel) {
  const auto error = [](auto change) {
    Config config = small_config("energy");
    change(config);
    return error_of<UsageError>([&] { config.check(); });
  };
  EXPECT_EQ(error([](Config& c) { c.output = "both"; }),
            "track: output: expected one of heads, energy, got 'both'");
  EXPECT_EQ(error([](Config& c) { c.steps = 0; }),
            "track: steps: expected a whole number from 1 to 10000, got 0");
  EXPECT_EQ(error([](Config& c) { c.values = 0; }),
            "track: values: expected a whole number from 1 to 16777216, got 0");
  EXPECT_EQ(error([](Config& c) { c.act_count = 0; }),
            "track: act_count: expected 1 or more with machine acts, got 0");
  EXPECT_EQ(error([](Config& c) { c.inner_rate = 0; }),
            "track: inner_rate: expected a number above 0, got 0");
  EXPECT_EQ(error([](Config& c) { c.dropout = 1; }),
            "track: dropout: expected a number from 0 to below 1, got 1");
  EXPECT_EQ(error([](Config& c) { c.inner_rate = 1e-9; }), "no error");
}

}  // namespace
}  // namespace heed::track
