// The log of single steps: steps.jsonl of a run has a line for every N-th step, beside log.jsonl,
// which has the epochs. Lines are appended during training.
#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "train/task.h"

namespace heed {

// One step, a line of steps.jsonl: each metric is a column. All columns but the two times are the
// same for equal runs.
struct StepRecord {
  int64_t step = 0;                // of the training, from 1
  int epoch = 0;                   // from 1
  double loss = 0;                 // of this step alone, like all that follow
  double rate = 0, grad_norm = 0;  // before clipping
  int64_t tokens = 0;
  Metrics metrics = {};
  double time = 0;          // seconds since 1970
  double tokens_per_s = 0;  // since the line before
  std::string task = {};    // whose step it was, if there are several tasks
};

constexpr const char* kStepsFile = "steps.jsonl";

// Reads steps.jsonl of a run line by line, also while it is being written.
class StepReader {
 public:
  // Throws DataError if the file is missing, not a regular file, or a link out of the run.
  explicit StepReader(const std::string& run);

  // The next line; nothing if there is no complete line (yet). Throws DataError "file:line: ..."
  // for a line that heed would not write.
  std::optional<StepRecord> next();
  uint64_t bytes() const { return bytes_; }  // of the lines that were read

 private:
  bool fill();

  std::string path_;
  std::ifstream in_;
  std::string buffer_;
  size_t begin_ = 0;  // of what is not read yet
  uint64_t bytes_ = 0;
  int64_t line_ = 0;
};

// All complete lines; none if the run has no such file. Throws DataError as StepReader does.
std::vector<StepRecord> load_steps(const std::string& run);

// Writes steps.jsonl. The caller has the lock of the run.
class StepLog {
 public:
  // Continues after the last line of the first `done` steps. Later steps and half lines are cut
  // off; they will be written again. Does nothing if `every` is 0. `warning` says if lines of the
  // first `done` steps are missing. Throws DataError.
  StepLog(const std::string& run, int every, int64_t done, std::string* warning);

  bool wanted() const { return every_ > 0; }
  // Steps begin now: the time before, such as a validation's, does not count in tokens_per_s.
  void start_clock();
  // Call it for every step, in order. It keeps the line of every N-th one.
  // It fills in the times.
  void add(StepRecord record);

  bool due() const;  // whether lines have waited for a second and should be written
  // Appends the lines. With `sync` they are on the disk when it returns, as they must be before a
  // checkpoint of these steps is valid. Throws DataError.
  void write(bool sync);

 private:
  const std::string path_;
  const int every_;
  Descriptor descriptor_;
  std::string lines_;              // not written yet
  double written_ = 0, last_ = 0;  // when lines were written, and a step was added; monotonic
  double seconds_ = 0;             // of the steps since the last line
  int64_t tokens_ = 0;             // of them
};

}  // namespace heed
