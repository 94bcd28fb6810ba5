// Learning rates against their formulas.
#include "optim/schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/error.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using Vec = std::vector<double>;

// ---- factors of the step

template <class Factor> Vec first_steps(int64_t steps, Factor factor) {
  Vec result;
  for (int64_t step = 0; step < steps; ++step) result.push_back(factor(step));
  return result;
}

TEST(Schedules, AreTheirFormulas) {
  EXPECT_EQ(first_steps(6, [](int64_t s) { return linear_warm_up(s, 4); }),
            (Vec{0.25, 0.5, 0.75, 1, 1, 1}));
  EXPECT_EQ(linear_warm_up(0, 0), 1);
  EXPECT_EQ(first_steps(6, [](int64_t s) { return step_decay(s, 2, 0.5); }),
            (Vec{1, 1, 0.5, 0.5, 0.25, 0.25}));
  EXPECT_DOUBLE_EQ(cosine_decay(0, 8), 1);
  EXPECT_DOUBLE_EQ(cosine_decay(2, 8), (1 + std::sqrt(0.5)) / 2);
  EXPECT_DOUBLE_EQ(cosine_decay(4, 8), 0.5);
  EXPECT_DOUBLE_EQ(cosine_decay(4, 8, /*floor=*/0.2), 0.6);
  EXPECT_DOUBLE_EQ(cosine_decay(8, 8, 0.2), 0.2);
  EXPECT_DOUBLE_EQ(cosine_decay(100, 8), 0);
  EXPECT_DOUBLE_EQ(inverse_sqrt_decay(0, 4), 0.25);
  EXPECT_DOUBLE_EQ(inverse_sqrt_decay(3, 4), 1);
  EXPECT_DOUBLE_EQ(inverse_sqrt_decay(15, 4), 0.5);
}

TEST(Schedules, RefuseWhatMakesNoSense) {
  EXPECT_EQ(error_of<UsageError>([] { (void)cosine_decay(1, 0); }),
            "cosine_decay: step 1 of 0; expected step >= 0 and at least 1 steps");
  EXPECT_THROW((void)linear_warm_up(-1, 4), UsageError);
  EXPECT_THROW((void)linear_warm_up(0, -1), UsageError);
  EXPECT_THROW((void)step_decay(1, 0, 0.5), UsageError);
  EXPECT_THROW((void)inverse_sqrt_decay(1, 0), UsageError);
}

// ---- HalvingSchedule

// The rates with which the epochs after each of these perplexities are trained.
Vec rates(HalvingSchedule& schedule, const Vec& perplexities) {
  Vec result;
  for (double p : perplexities) {
    schedule.update(p);
    result.push_back(schedule.rate());
  }
  return result;
}

TEST(HalvingSchedule, HalvesAfterEpochsWithoutImprovement) {
  HalvingSchedule one({.rate = 1});
  EXPECT_EQ(rates(one, {100, 90, 95, 80, 80, 70}), (Vec{1, 1, 0.5, 0.5, 0.25, 0.25}));
  HalvingSchedule two({.rate = 1, .patience = 2});
  EXPECT_EQ(rates(two, {100, 101, 99, 100, 100, 100, 100}), (Vec{1, 1, 1, 1, 0.5, 0.5, 0.25}));
  HalvingSchedule never({.rate = 1, .patience = 0, .stop_after = 4});
  EXPECT_EQ(rates(never, {100, 101, 102, 103}), (Vec{1, 1, 1, 1}));
  EXPECT_FALSE(never.finished());
  EXPECT_FALSE(never.update(104));
  EXPECT_TRUE(never.finished());
}

TEST(HalvingSchedule, KnowsTheBestEpoch) {
  HalvingSchedule schedule({.rate = 1, .min_improvement = 0.1});
  EXPECT_TRUE(schedule.update(100));
  EXPECT_TRUE(schedule.update(95));  // the best, but not by a tenth: no improvement
  EXPECT_EQ(schedule.rate(), 0.5);
  EXPECT_FALSE(schedule.update(95));
  EXPECT_TRUE(schedule.update(80));
  EXPECT_EQ(schedule.rate(), 0.25);
  EXPECT_EQ(schedule.state.best, 80);

  HalvingSchedule rising({.rate = 1, .min_improvement = 0.1});
  EXPECT_TRUE(rising.update(100, true));
  EXPECT_TRUE(rising.update(105, true));  // not by a tenth
  EXPECT_EQ(rising.rate(), 0.5);
  EXPECT_TRUE(rising.update(120, true));
  EXPECT_EQ(rising.rate(), 0.5);
  EXPECT_EQ(rising.state.best, 120);
}

// A best epoch is one, however small its improvement.
TEST(HalvingSchedule, StopsAfterEpochsSinceTheBest) {
  HalvingSchedule schedule({.rate = 1, .min_improvement = 0.1, .patience = 0, .stop_after = 2});
  for (const double value : {100, 99, 98, 97, 97}) schedule.update(value);
  EXPECT_EQ(schedule.state.since_best, 1);
  EXPECT_FALSE(schedule.finished());
  schedule.update(97);
  EXPECT_TRUE(schedule.finished());
}

TEST(HalvingSchedule, TakesNanForNoImprovement) {
  HalvingSchedule schedule({.rate = 1});
  schedule.update(100);
  EXPECT_FALSE(schedule.update(NAN));
  EXPECT_EQ(schedule.rate(), 0.5);
  EXPECT_EQ(schedule.state.best, 100);

  HalvingSchedule from_nan({.rate = 1});
  EXPECT_FALSE(from_nan.update(NAN));
  EXPECT_TRUE(from_nan.update(100));
  EXPECT_EQ(from_nan.rate(), 0.5);
}

// A share of an infinite best value is no number, and would make every later epoch a bad one.
TEST(HalvingSchedule, WhateverIsFiniteIsBetterThanInfinity) {
  for (const bool higher : {false, true}) {
    HalvingSchedule schedule({.rate = 1});
    const double worst = higher ? -INFINITY : INFINITY;
    EXPECT_TRUE(schedule.update(worst, higher));
    EXPECT_FALSE(schedule.update(worst, higher));
    EXPECT_EQ(schedule.rate(), 0.5);
    EXPECT_TRUE(schedule.update(7, higher));
    EXPECT_EQ(schedule.rate(), 0.5);
  }
}

TEST(HalvingSchedule, StopsBelowTheSmallestRate) {
  HalvingSchedule schedule({.rate = 1, .min_rate = 0.3});
  EXPECT_EQ(rates(schedule, {100, 100}), (Vec{1, 0.5}));
  EXPECT_FALSE(schedule.finished());
  schedule.update(100);
  EXPECT_TRUE(schedule.finished());
  EXPECT_EQ(schedule.rate(), 0.5);
  HalvingSchedule exact({.rate = 1, .min_rate = 0.25});  // which a rate may have
  EXPECT_EQ(rates(exact, {100, 100, 100}), (Vec{1, 0.5, 0.25}));
}

TEST(HalvingSchedule, StopsAfterAllHalvings) {
  HalvingSchedule schedule({.rate = 1, .max_halvings = 2});
  EXPECT_EQ(rates(schedule, {100, 100, 100}), (Vec{1, 0.5, 0.25}));
  EXPECT_FALSE(schedule.finished());
  schedule.update(100);
  EXPECT_TRUE(schedule.finished());
}

TEST(HalvingSchedule, HalvesByEpoch) {
  HalvingSchedule schedule({.rate = 1, .halve_after = 3});
  EXPECT_EQ(rates(schedule, {100, 90, 80, 70, 60}), (Vec{1, 1, 0.5, 0.25, 0.125}));
}

TEST(HalvingSchedule, GoesOnFromASavedState) {
  const HalvingSchedule::Options options{.rate = 1, .min_rate = 0.1, .patience = 2};
  const Vec perplexities = {100, 101, 102, 99, 103, 98, 99, 99, 99, 99, 99, 99, 99};
  HalvingSchedule whole(options), first(options);
  const Vec expected = rates(whole, perplexities);
  for (size_t cut = 0; cut < perplexities.size(); ++cut) {
    HalvingSchedule resumed(options);
    resumed.state = first.state;
    const Vec rest(perplexities.begin() + cut, perplexities.end());
    EXPECT_EQ(rates(resumed, rest), Vec(expected.begin() + cut, expected.end()));
    EXPECT_EQ(resumed.finished(), whole.finished());
    first.update(perplexities[cut]);
  }
}

TEST(Schedule, RefusesFactorsThatAreNone) {
  EXPECT_EQ(error_of<UsageError>([] { (void)step_decay(1, 2, NAN); }),
            "step_decay: needs a finite factor >= 0, got nan");
  EXPECT_EQ(error_of<UsageError>([] { (void)cosine_decay(1, 2, -1); }),
            "cosine_decay: needs a finite factor >= 0, got -1");
}

TEST(HalvingSchedule, RefusesWhatMakesNoSense) {
  for (const HalvingSchedule::Options& bad :
       std::vector<HalvingSchedule::Options>{{.rate = 0},
                                             {.rate = NAN},
                                             {.min_rate = -1},
                                             {.patience = -1},
                                             {.max_halvings = -1},
                                             {.min_improvement = -0.1}}) {
    EXPECT_TRUE(error_of<UsageError>([&] { HalvingSchedule{bad}; }).starts_with("HalvingSchedule"));
  }
}

}  // namespace
}  // namespace heed
