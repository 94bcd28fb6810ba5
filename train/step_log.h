// What single steps of a training said: steps.jsonl of a run, a line for every N-th step, beside
// log.jsonl, which has the epochs. Lines are appended while the training runs.
#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "train/task.h"

namespace heed {

// One step, as it stands in steps.jsonl: the metrics as columns of their own. All but the two times
// are the same for equal runs.
struct StepRecord {
  int64_t step = 0;                // of the training, from 1
  int epoch = 0;                   // from 1
  double loss = 0;                 // of this step alone, as all that follows
  double rate = 0, grad_norm = 0;  // before clipping
  int64_t tokens = 0;
  Metrics metrics = {};
  double time = 0;          // seconds since 1970
  double tokens_per_s = 0;  // since the line before
  std::string task = {};    // whose step it was, if there are several tasks
};

constexpr const char* kStepsFile = "steps.jsonl";

// Reads steps.jsonl of a run line by line, also while a training writes it.
class StepReader {
 public:
  // Throws DataError where the file is missing, no regular file, or a link out of the run.
  explicit StepReader(const std::string& run);

  // The next line; nothing where no whole line is left, or not yet. Throws DataError "file:line:
  // ..." for what heed does not write there.
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

// All whole lines; none where the run has no such file. Throws DataError, as StepReader.
std::vector<StepRecord> load_steps(const std::string& run);

// Writes steps.jsonl. The caller has the lock of the run.
class StepLog {
 public:
  // Goes on behind the last line of the first `done` steps: what stands there of later steps, or
  // half a line, is cut off, and will come again. Nothing is done where `every` is 0. `warning`
  // says if lines of these steps are missing. Throws DataError.
  StepLog(const std::string& run, int every, int64_t done, std::string* warning);
  ~StepLog();
  StepLog(const StepLog&) = delete;
  StepLog& operator=(const StepLog&) = delete;

  bool wanted() const { return every_ > 0; }
  // Steps begin now: what was before, as a validation, is not in their tokens a second.
  void start_clock();
  // To be told of every step, in their order; keeps the line of every N-th one. The times are
  // filled in here.
  void add(StepRecord record);

  bool due() const;  // there are lines of a second ago: time to write them
  // Appends the lines. They are on the disk when it returns if `sync`: before a checkpoint of these
  // steps counts. Throws DataError.
  void write(bool sync);

 private:
  const std::string path_;
  const int every_;
  int descriptor_ = -1;
  std::string lines_;              // that are not written yet
  double written_ = 0, last_ = 0;  // when lines were written, and a step was added; monotonic
  double seconds_ = 0;             // of the steps since the last line
  int64_t tokens_ = 0;             // of them
};

}  // namespace heed
