#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.h"

namespace heed {

// The task of a step: step s of an epoch is the n-th step of its task.
struct TaskTurn {
  size_t task;
  int64_t n;
};

// The rule of turns: turns[k] steps of task k, one task after the other, round after round; with 0
// the task stays as it is. An epoch ends with the last batch of the first task that makes steps.
class Turns {
 public:
  // Throws UsageError for another number of tasks, for a negative one, and if none makes a step.
  Turns(std::vector<int> turns, size_t tasks) : turns_(std::move(turns)) {
    const bool right = turns_.size() == tasks && steps_a_round() > 0 &&
                       std::all_of(turns_.begin(), turns_.end(), [](int n) { return n >= 0; });
    if (!right) throw UsageError("training: expected a number of steps for each task, not all 0");
    while (turns_[first_] == 0) ++first_;
  }

  // The first task that makes steps.
  size_t first() const { return first_; }

  int64_t steps_an_epoch(int64_t first_batches) const {
    const int64_t rounds = first_batches / turns_[first_], rest = first_batches % turns_[first_];
    return rounds * steps_a_round() + rest;  // `rest` belongs to the first task
  }
  TaskTurn of(int64_t step) const {
    int64_t at = step % steps_a_round();
    size_t task = 0;
    for (; at >= turns_[task]; ++task) at -= turns_[task];
    return {task, step / steps_a_round() * turns_[task] + at};
  }
  // How many of the first `steps` steps of an epoch are the task's.
  int64_t steps_of(size_t task, int64_t steps) const {
    const auto own = turns_.begin() + static_cast<std::ptrdiff_t>(task);
    const int64_t before = std::accumulate(turns_.begin(), own, int64_t{0});
    const int64_t at = std::clamp<int64_t>(steps % steps_a_round() - before, 0, *own);
    return steps / steps_a_round() * *own + at;
  }

 private:
  int64_t steps_a_round() const {
    return std::accumulate(turns_.begin(), turns_.end(), int64_t{0});
  }

  std::vector<int> turns_;
  size_t first_ = 0;
};

}  // namespace heed
