// Steps that are timed: what they are made of, not how long they take.
#include "dialog/respond/step_times.h"

#include <gtest/gtest.h>

#include "tests/dialog/respond/model_helpers.h"

namespace heed {
namespace {

// Of one model: words are drawn by the seed, and units are dropped on request.
TEST(StepTimes, TheSeedDrawsWordsAndDropoutIsAsked) {
  const auto loss = [](uint64_t seed, double dropout) {
    const std::unique_ptr<Responder> model = drawn_model("dynamic");
    return step_times(*model,
                      {.work = "forward",
                       .lengths = "",
                       .batch = 2,
                       .steps = 1,
                       .dropout = dropout,
                       .seed = seed},
                      Device{})
        .loss;
  };
  const double first = loss(1, 0);
  EXPECT_GT(first, 0);
  EXPECT_EQ(loss(1, 0), first);
  EXPECT_NE(loss(2, 0), first);
  EXPECT_NE(loss(1, 0.5), first);
}

}  // namespace
}  // namespace heed
