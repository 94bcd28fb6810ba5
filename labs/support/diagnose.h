// From wrong numbers to a sentence: which mistake gives just these?
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tensor/compare.h"
#include "tensor/tensor.h"

namespace heed::lab {

// The value that a tensor holds before a student's kernel writes to it: an element that still has
// it was left out.
inline constexpr double kUnwritten = -7777;
// Whether a number was made of memory that was never written at all: all its bits were set there,
// and arithmetic hands this NaN on, in f32 as in f64.
bool is_fresh(double value);

// Mistakes that a check can compute: {"x squared itself, not its slope", tensor}.
using Suspects = std::vector<std::pair<std::string, Tensor>>;

// What a check knows about the numbers that it expects.
struct Expected {
  Tolerance tolerance = {.relative = 1e-6, .absolute = 1e-9};
  Suspects suspects = {};  // more than one is named if the numbers do not tell them apart
  std::vector<std::string> blocks = {};  // names of the equal parts of a row: the gates of an LSTM
  std::vector<int32_t> ids = {};         // of each row, where rows are added up by an index
  std::string law = {};                  // what to think about if no symptom fits
  std::string not_finite = {};           // or where a number is NaN or infinite: else the law, too
  // What both are called; where both come from a student's code neither is the right one.
  const char *want = "expected", *got = "yours";
};

// Nothing where got is close to want, else several lines: the worst element, a corner of both, a
// map of right and wrong, and the first symptom that fits. Symptoms are tried in this order: other
// shape; never written; NaN or infinity; a suspect; rounding; a constant factor; a constant offset;
// transposed; shifted; blocks permuted, or some right; a factor for each row; wrong only at the
// tail; wrong only where an index occurs twice. The last resort is the law.
std::string diagnose(const std::string& what, const Tensor& got, const Tensor& want,
                     const Expected& expected = {});

// What a picture shows of both: at most kMost rows and columns, the first wrong element among them.
struct Window {
  static constexpr int64_t kMost = 12;
  int64_t all_rows, all_cols, rows, cols, first_row = 0, first_col = 0;
  int64_t wrong = 0;                             // in all
  std::vector<std::string> want = {}, got = {};  // row by row
  std::vector<bool> is_wrong = {};
};
// For tensors of one shape.
Window window(const Tensor& got, const Tensor& want, const Expected& expected = {});

}  // namespace heed::lab
