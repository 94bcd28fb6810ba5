// What a training writes to its run and reads of it: rank 0 does that, for all.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "train/checkpoint.h"
#include "train/ranks.h"
#include "train/step_log.h"

namespace heed {

// All ranks have the numbers that the first one has in these tensors.
void take_from_first(Ranks& ranks, const std::vector<NamedTensor>& tensors);

class RunFiles {
 public:
  using Warn = std::function<void(const std::string&)>;
  // `before_write` is called before files are written (TrainHooks).
  RunFiles(std::string run, Ranks& ranks, std::function<void()> before_write, Warn warn);

  // The run's newest checkpoint, loaded into the tensors of all ranks; nothing where there is none:
  // then all ranks begin with the tensors of rank 0. See load_checkpoint().
  std::optional<TrainState> load(const std::vector<NamedTensor>& tensors);

  // Goes on with steps.jsonl behind the first `done` steps.
  void open_steps(int every, int64_t done);
  StepLog& steps() { return *steps_; }
  void write_steps(bool sync);

  // A finished epoch, whose checkpoint comes next: the modules by the names of their files.
  struct NamedModule {
    std::string name;
    Module* module;
  };
  void save_epoch(const std::vector<NamedModule>& models, const std::vector<EpochLog>& log);
  // Throws Error where the ranks have other tensors.
  void save(const TrainState& state, const std::vector<NamedTensor>& tensors);

 private:
  bool begin_to_write() const;

  const std::string run_;
  Ranks& ranks_;
  const std::function<void()> before_write_;
  const Warn warn_;
  std::optional<StepLog> steps_;
};

}  // namespace heed
