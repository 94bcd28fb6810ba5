#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dialog/evaluate.h"
#include "dialog/score_json.h"
#include "tensor/file.h"

namespace heed {

// A table for people: one line a test set. The DAS ratio is that of the means in the columns beside
// it; "mean" and "median" are those of the ratios of single dialogues.
std::string results_table(const std::vector<TestSetResult>& results);

// The file of a --json option: none where the path is empty, standard output for "-". Made before
// the work begins, so that a place that cannot be written to is noticed then; the file appears with
// write(), whole. Throws DataError.
class JsonOutput {
 public:
  explicit JsonOutput(const std::string& path);
  void write(const nlohmann::ordered_json& json);

  bool wanted() const { return to_stdout() || file_; }
  bool to_stdout() const { return to_stdout_; }  // then nothing else may be printed there

 private:
  bool to_stdout_;
  std::optional<AtomicFile> file_;
};

}  // namespace heed
