// The tasks of a training, each with its optimiser and perhaps a schedule of its own.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "train/run_files.h"
#include "train/runaway_loss.h"
#include "train/task.h"

namespace heed {

struct Member {
  const Task* task;
  const OptimizerSettings* stepping;
  std::unique_ptr<Optimizer> optimizer;
  std::optional<HalvingSchedule> schedule;  // of its own
  RunawayLoss runaway;
};

class Members {
 public:
  // The tasks must outlive it. Throws UsageError if one has no examples.
  Members(const std::vector<Task>& tasks, const OptimizerSettings& usual);

  Member& operator[](size_t i) { return members_[i]; }
  const Member& operator[](size_t i) const { return members_[i]; }
  const std::vector<Member>& all() const { return members_; }
  std::string name(const Member& m) const { return members_.size() > 1 ? m.task->name : ""; }
  // What the names of a task's counts begin with, if there are several tasks: "name/".
  std::string prefix(const Member& m) const {
    return members_.size() > 1 ? m.task->name + "/" : "";
  }

  std::vector<NamedTensor> tensors() const;  // of a checkpoint
  // The first task's module is called `first`, the others `prefix` and their names.
  std::vector<RunFiles::NamedModule> modules(const std::string& first,
                                             const std::string& prefix) const;
  // The name of a parameter that is not finite; empty if all are.
  std::string not_finite() const;

  // The metrics of the sums of all tasks, in the order of the tasks.
  Metrics measure(const Counts& sums) const;
  // The same of their validations. StopValidation passes through.
  Metrics validate(const OnValidation& on_batch);
  // Of the tasks that have schedules of their own, after their validation.
  void update_schedules();
  std::map<std::string, HalvingSchedule::State> schedules() const;
  void go_on_with(const std::map<std::string, HalvingSchedule::State>& schedules);

 private:
  Counts counts_of(const Member& member, const Counts& sums) const;

  std::vector<Member> members_;
  std::map<size_t, Metric> decisive_;  // the first one of each task's newest validation
};

}  // namespace heed
