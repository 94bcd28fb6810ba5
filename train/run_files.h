// What training writes to its run and reads from it. Rank 0 does so for all ranks.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "train/checkpoint.h"
#include "train/ranks.h"
#include "train/step_log.h"

namespace heed {

// Copies the numbers of these tensors from the first rank to all ranks.
void take_from_first(Ranks& ranks, const std::vector<NamedTensor>& tensors);

class RunFiles {
 public:
  using Warn = std::function<void(const std::string&)>;
  // `before_write` is called before files are written (TrainHooks).
  RunFiles(std::string run, Ranks& ranks, std::function<void()> before_write, Warn warn);

  // Loads the run's newest checkpoint into the tensors of all ranks. Returns nothing if there is
  // none: then all ranks begin with the tensors of rank 0. See load_checkpoint().
  std::optional<TrainState> load(const std::vector<NamedTensor>& tensors);

  // Continues steps.jsonl after the first `done` steps.
  void open_steps(int every, int64_t done);
  StepLog& steps() { return *steps_; }
  void write_steps(bool sync);

  struct NamedModule {
    std::string name;  // of its file
    Module* module;
  };
  // Writes the models, the log of a finished epoch, and last a checkpoint. Throws Error if the
  // ranks' tensors differ; then nothing is written.
  void save(const TrainState& state, const std::vector<NamedTensor>& tensors,
            const std::vector<NamedModule>& models);

 private:
  bool begin_to_write() const;

  const std::string run_;
  Ranks& ranks_;
  const std::function<void()> before_write_;
  const Warn warn_;
  std::optional<StepLog> steps_;
};

}  // namespace heed
