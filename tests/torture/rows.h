// What is done to heed, one function for each row of the table.
#pragma once

#include <string>
#include <vector>

#include "tests/torture/training.h"

namespace torture {

struct Row {
  std::string what;
  int injected = 0;   // faults, or inputs
  int resumed = 0;    // runs that went on and ended, of `expected`
  int identical = 0;  // of them with the files of an undisturbed run
  int expected = 0;
  int crashed = 0, hung = 0;  // ended by a signal that nobody sent, or did not end
  std::string note = {};      // what else was measured
  std::vector<std::string> problems = {};

  bool good() const { return problems.empty() && resumed == expected && identical == expected; }
  // Counts what a faulty run did, and complains of anything but an orderly end.
  void judge(const std::string& where, const Outcome& outcome);
  // Goes on with a run and counts whether it ends as it must.
  void finish(const std::string& where, const Training& training, const std::string& out);
};

struct Budget {
  int kills = 200;   // at random instants
  int stride = 1;    // every how manieth call of a training is made to fail
  int steps = 4000;  // of the long run
  uint64_t seed = 1;
};

using Trainings = std::vector<Training>;

Row random_kills(const Trainings& trainings, const Budget& budget);
Row kills_at_calls(const Trainings& trainings, const Budget& budget);
Row killed_ranks(const Settings& settings, const Budget& budget);
Row signals(const Trainings& trainings, const Budget& budget);
std::vector<Row> failing_calls(const Trainings& trainings, const Budget& budget);
Row full_disk(const Trainings& trainings, const Budget& budget);
Row vanishing_folder(const Trainings& trainings, const Budget& budget);
Row damaged_checkpoints(const Trainings& trainings, const Budget& budget);
Row little_memory(const Settings& settings, const Budget& budget);
Row two_at_once(const Trainings& trainings);
// What a power failure would show: each file is on the disk before it gets its name, and the name
// before the next call.
Row synced_files(const Trainings& trainings);

// Thousands of steps with ragged batches: memory stays, and so does the time of a step.
Row long_run(const Settings& settings, const Budget& budget);
// The same evaluation again and again, with any number of threads, has the same numbers.
Row repeated_evaluation(const Settings& settings, const Budget& budget);
// Everything a user does, with a program built with the address sanitizer, which sees leaks.
Row leaks(const Settings& settings, const std::string& sanitized_heed);
// The fuzz programs, which `make fuzz` has built, each for some seconds.
Row fuzzing(int seconds);

}  // namespace torture
