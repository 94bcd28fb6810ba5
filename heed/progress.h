#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dialog/data/example.h"
#include "dialog/text/format.h"
#include "train/loop.h"

namespace heed {

// One line about long work on standard error: rewritten in place on a terminal; in a file or pipe,
// a new plain line now and then.
class Progress {
 public:
  Progress();
  ~Progress() { done(); }
  void show(const std::string& line);
  void done();  // clears the line, so that ordinary output can follow

 private:
  bool terminal_;
  bool open_ = false;
  double shown_ = 0;
};

// "reading talk.txt: 1200 dialogues", for Reading::progress.
inline auto show_reading(Progress& progress, const std::string& path) {
  return [&progress, path](size_t count) {
    progress.show("reading " + path + ": " + counted(count, "dialogue"));
  };
}

// "map: 320 of 830 texts", for work that tells how much of it is done.
inline auto show_counts(Progress& progress, const std::string& unit,
                        const std::string& before = "") {
  return [&progress, unit, before](auto done, auto of) {
    progress.show(before + std::to_string(done) + " of " + counted(of, unit));
  };
}

// Progress of work that goes through the same examples several times, once for each test set:
//   random:0.7: 320 of 830 dialogues  12.3k tokens/s  3m05s left
class PassProgress {
 public:
  PassProgress(size_t passes, const std::vector<Example>& examples, const std::string& unit);
  // This many examples and tokens of the current pass are done. A smaller number than before begins
  // the next pass.
  void show(const std::string& pass, int64_t examples, int64_t tokens);
  void done() { progress_.done(); }

 private:
  Progress progress_;
  const double passes_;
  const size_t size_;
  const std::string unit_;
  double pass_tokens_ = 0;  // approximate; insertions are not counted
  double begin_, passed_ = 0, tokens_before_ = 0;
  int64_t examples_ = 0, tokens_ = 0;
};

// "epoch 2/8  step 5/70  loss 1.234  NUMBERS  1.2k tokens/s  45s left in epoch"
std::string training_line(const TrainProgress& progress, const std::string& numbers);
std::string format_seconds(double seconds);    // "45s", "3m05s", "2h10m"
std::string format_rate(double tokens_per_s);  // "850", "12.3k"

}  // namespace heed
