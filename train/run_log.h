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
  // Whose step each row of steps is: a column, "task", of its own if a training has several tasks.
  std::vector<std::string> tasks = {};

  // Throws DataError if there is no such column; the message lists the columns.
  size_t column(const std::string& name) const;
  bool has(const std::string& name) const;
  std::string task_of(size_t row) const { return tasks.empty() ? "" : tasks[row]; }
};

// The log of epochs, or of the logged steps: the first column is "epoch" or "step". No rows if
// there is no such file. Throws DataError if the folder holds no run, or the file is not a log.
RunLog epochs_of(const std::string& run);
RunLog steps_of(const std::string& run);
// One of the two. Throws DataError if it has no rows; the message says how to get some.
RunLog log_of(const std::string& run, bool steps);

// Of a training of several tasks the rows of each, in the order of their appearance, and of the
// others all. A task has no loss or rate in common with another one.
std::vector<RunLog> logs_of_tasks(const RunLog& log);

// A line of names, then a line per row (RFC 4180); a missing number is an empty field.
std::string to_csv(const RunLog& log);
// One object per line, without the missing numbers.
std::string to_json_lines(const RunLog& log);
// The log of a run, epochs and steps, as the curves "epoch/NAME" and "step/NAME", or of several
// tasks "step/TASK/NAME", of an event file.
std::string event_file_of(const std::string& run);

// Short names of several runs: their directories' names, with parent directories where two names
// are equal.
std::vector<std::string> run_names(const std::vector<std::string>& paths);

}  // namespace heed
