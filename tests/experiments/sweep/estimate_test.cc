// How long a run of a sweep takes, by what a step takes.
#include <gtest/gtest.h>

#include "dialog/respond/presets.h"
#include "dialog/respond/structures.h"
#include "experiments/sweep/sweep.h"
#include "tests/paths.h"

namespace heed {
namespace {

SweepPart part_of_sample() {
  SweepPart part;
  part.train = load_train_data(source_dir() + "/data/ubuntu-sample", {.max_size = 100}, {}, 20);
  return part;
}

TEST(SweepEstimate, ALastBatchMayBeSmall) {
  const SweepPart part = part_of_sample();
  ASSERT_EQ(part.train.train.size(), 20u);
  SweepPoint point;
  for (const auto& [batch, steps] : {std::pair(21, 1), {20, 1}, {19, 2}, {10, 2}, {9, 3}}) {
    point.settings.loop.batch_size = batch;
    EXPECT_EQ(steps_of(point, part), steps) << batch;
  }
}

// An example that is validated or tested takes a third of the time of one that is learned from.
TEST(SweepEstimate, ValidationsAndTestsTakeAThird) {
  SweepPart part = part_of_sample();
  part.test = part.train.train.to_vector();
  part.test.resize(12);
  const auto valid = static_cast<double>(part.train.valid.size());
  EXPECT_GT(valid, 0);
  SweepPoint point;
  point.settings = suited_to(Structure::parse("static-ui"), find_preset("smoke"));
  point.settings.model.vocab_size = part.train.vocabulary.size();
  point.settings.loop.batch_size = 10;
  const auto model = make_responder(point.settings.model, /*seed=*/1);
  const RunTimes times = estimated_times(point, part, /*test_sets=*/3, *model);
  ASSERT_EQ(times.epochs.size(), 1u);
  EXPECT_GT(times.epochs[0], 0);
  EXPECT_NEAR(times.evaluation / times.epochs[0], (3 * 12 / 3.0) / (20 + valid / 3), 1e-9);
}

}  // namespace
}  // namespace heed
