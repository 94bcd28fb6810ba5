// Presets whose training ends while --patience, which halves the rate, is not given.
#pragma once

#include <gtest/gtest.h>

#include "optim/schedule.h"

namespace heed {

// A training ends after so many validations that are no better, at the rate that it began with.
// --patience halves the rate, as its help says, and ends nothing.
inline void expect_patience_halves(HalvingSchedule::Options schedule, int stop_after) {
  HalvingSchedule usual(schedule);
  usual.update(1, false);
  for (int i = 0; i < stop_after; ++i) {
    EXPECT_FALSE(usual.finished()) << i;
    usual.update(2, false);
  }
  EXPECT_TRUE(usual.finished());
  EXPECT_EQ(usual.rate(), schedule.rate);
  schedule.patience = 1;
  HalvingSchedule halves(schedule);
  halves.update(1, false);
  halves.update(2, false);
  EXPECT_FALSE(halves.finished());
  EXPECT_EQ(halves.rate(), schedule.rate / 2);
}

}  // namespace heed
