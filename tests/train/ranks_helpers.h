// Runs tests on several ranks of this machine.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>

#include "base/error.h"
#include "tensor/parallel.h"
#include "train/forked_ranks.h"

namespace heed {

inline const std::atomic<bool> kNoStop = false;

// Runs the body on each rank; what a rank finds wrong is an error of all. The pool's threads end
// before: under the thread sanitizer the children of a process that has several can start none.
inline void on_ranks(int count, const std::function<void(Ranks&)>& body) {
  const int threads = num_threads();
  set_num_threads(1);
  set_num_threads(threads);
  fork_ranks(
      count,
      [&](Ranks& ranks) {
        body(ranks);
        if (testing::Test::HasFailure()) throw Error("see above");
      },
      kNoStop);
}

}  // namespace heed
