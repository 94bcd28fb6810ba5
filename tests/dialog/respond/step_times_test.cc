// Steps that are timed: what they are made of, not how long they take.
#include "dialog/respond/step_times.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/dialog/respond/model_helpers.h"
#include "tests/file_helpers.h"

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

// Dialogues of these lengths, batch after batch, the first one for the warm-up; a batch that the
// file cannot fill has what is left, and then it begins again.
TEST(StepTimes, ReadsAsManyDialoguesAsItTakes) {
  const TempDir dir;
  std::string lines;
  for (const char* response : {"1", "2", "4", "8", "16", "32", "64"}) {
    lines += R"({"context": [3, 1], "response": )" + std::string(response) + "}\n";
  }
  const std::string path = dir.write("lengths.jsonl", lines);
  const auto tokens = [&](int64_t batch, int64_t steps, const char* work = "forward") {
    const std::unique_ptr<Responder> model = drawn_model("dynamic");
    const StepTimes times = step_times(
        *model, {.work = work, .lengths = path, .batch = batch, .steps = steps}, Device{});
    EXPECT_EQ(times.steps(), steps);
    return times.tokens;
  };
  // Of a dialogue its words, and one for the end of each utterance: 7 and those of the response.
  EXPECT_EQ(tokens(2, 1), 2 * 7 + 4 + 8);
  EXPECT_EQ(tokens(2, 2), 4 * 7 + 4 + 8 + 16 + 32);
  EXPECT_EQ(tokens(1, 3), 3 * 7 + 2 + 4 + 8);
  EXPECT_EQ(tokens(4, 1), 3 * 7 + 16 + 32 + 64);
  EXPECT_EQ(tokens(4, 2), 7 * 7 + 127);
  EXPECT_EQ(tokens(2, 2, "score"), 4 * 7 + 4 + 8 + 16 + 32);
}

// Greedy search has one hypothesis and beam search five, which never find anything worse.
TEST(StepTimes, DecodesGreedilyOrByABeam) {
  const auto of = [](const char* work) {
    const std::unique_ptr<Responder> model = drawn_model("dynamic");
    return step_times(*model, {.work = work, .lengths = "", .batch = 3, .steps = 2}, Device{});
  };
  const StepTimes greedy = of("greedy"), beam = of("beam");
  const double contexts = 2 * 3 * 6 * 13;  // with the end of each utterance
  EXPECT_GT(greedy.tokens, contexts);
  EXPECT_LE(greedy.tokens, contexts + 2 * 3 * 17);
  EXPECT_GT(beam.tokens, greedy.tokens);
  EXPECT_LE(beam.tokens, contexts + 2 * 3 * 17 * 5);
  EXPECT_GT(greedy.loss, 0);
  EXPECT_GE(greedy.loss, beam.loss);
}

// The times of the steps are in order, so that the one in the middle is their median.
TEST(StepTimes, StandInOrder) {
  const std::unique_ptr<Responder> model = drawn_model("dynamic");
  std::vector<double> one_by_one;
  double before = 0;
  const StepTimes times = step_times(*model,
                                     {.work = "forward",
                                      .lengths = "",
                                      .batch = 2,
                                      .steps = 8,
                                      .progress =
                                          [&](int64_t, double seconds) {
                                            one_by_one.push_back(seconds - before);
                                            before = seconds;
                                          }},
                                     Device{});
  std::sort(one_by_one.begin(), one_by_one.end());
  ASSERT_EQ(times.seconds.size(), 8u);
  for (size_t i = 0; i < 8; ++i) EXPECT_NEAR(times.seconds[i], one_by_one[i], 1e-9);
}

}  // namespace
}  // namespace heed
