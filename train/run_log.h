// The log of a run as rows and columns.
#pragma once

#include <string>
#include <vector>

#include "train/task.h"

namespace heed {

struct RunLog {
  std::string file;                       // the path of log.jsonl or steps.jsonl
  std::vector<std::string> columns;       // in the order in which people read them
  std::vector<std::vector<double>> rows;  // NaN where a line has no such column
  std::vector<double> times = {};         // of the rows of steps: seconds since 1970

  // Throws DataError, with the columns that there are, where there is no such one.
  size_t column(const std::string& name) const;
  bool has(const std::string& name) const;
};

// Of each epoch, or of each step that was logged: the first column is "epoch" or "step". No rows
// where there is no such file. Throws DataError where the folder holds no run, or what is no log.
RunLog epochs_of(const std::string& run);
RunLog steps_of(const std::string& run);
// One of the two. Throws DataError if it has no rows, and says how there will be some.
RunLog log_of(const std::string& run, bool steps);

// A line of names and a line a row (RFC 4180); nothing where there is no number.
std::string to_csv(const RunLog& log);
// An object a line, without what is no number.
std::string to_json_lines(const RunLog& log);
// The log of a run, epochs and steps, as the curves "epoch/NAME" and "step/NAME" of an event file.
std::string event_file_of(const std::string& run);

// Short names of several runs: of their directories, with those above them where two are equal.
std::vector<std::string> run_names(const std::vector<std::string>& paths);

}  // namespace heed
