// Which of several epochs is the best, by hand.
#include "dialog/respond/choose_epoch.h"

#include <gtest/gtest.h>

#include "tests/file_helpers.h"

namespace heed {
namespace {

// Each epoch is the best by one measure.
const std::vector<KeptEpoch> kEpochs = {{1, {.bleu_2 = 0.5, .rouge_l = 0.1, .meteor = 0.2}},
                                        {2, {.bleu_2 = 0.4, .rouge_l = 0.3, .meteor = 0.1}},
                                        {5, {.bleu_2 = 0.3, .rouge_l = 0.2, .meteor = 0.6}}};

TEST(BestEpoch, IsThatOfTheMeasure) {
  EXPECT_EQ(best_epoch(kEpochs, "best-bleu").epoch, 1);
  EXPECT_EQ(best_epoch(kEpochs, "best-rouge").epoch, 2);
  EXPECT_EQ(best_epoch(kEpochs, "best-meteor").epoch, 5);
  EXPECT_EQ(best_epoch(kEpochs, "best-meteor").overlap.bleu_2, 0.3);
}

TEST(BestEpoch, IsTheFirstOfEqualOnes) {
  std::vector<KeptEpoch> same = kEpochs;
  for (KeptEpoch& e : same) e.overlap = {};
  for (const char* name : {"best-bleu", "best-rouge", "best-meteor"}) {
    EXPECT_EQ(best_epoch(same, name).epoch, 1) << name;
  }
}

TEST(BestEpoch, SaysWhatIsWrong) {
  EXPECT_EQ(error_of<UsageError>([] { best_epoch({}, "best-bleu"); }),
            "epoch: there is none to choose from");
  EXPECT_EQ(error_of<UsageError>([] { best_epoch(kEpochs, "best"); }),
            "epoch: expected best-bleu, best-rouge or best-meteor, got 'best'");
}

}  // namespace
}  // namespace heed
