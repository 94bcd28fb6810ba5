#pragma once

#include <string>
#include <vector>

#include "tensor/device.h"

namespace heed {

// The largest error of one kind of number, relative to max(|expected|, floor). The floor is 1e-6;
// for the norms of gradients a ten-thousandth of the largest one.
struct VerifyRow {
  std::string kind;   // "nll"
  int64_t count = 0;  // numbers compared
  double max_error = 0, tolerance = 0;
  std::string worst;  // "case-3 step 2: expected 1.5, got 1.6"
  bool ok() const { return count > 0 && max_error <= tolerance; }
};

// Runs the model of a reference case and compares every number of its expected.json: perplexity,
// das_ratio, mean_das_ratio, as_distraction, as_history, nll, as_scores, attention_loss, loss, the
// norm of every parameter's gradient, and loss and gradient norm of the SGD steps, which are
// repeated as described there. Tolerances: 1e-10 in f64; in f32, where the errors of the bundled
// cases are up to half of it, 2e-5, and 3e-4 for the steps, through which errors grow. A NaN result
// is an infinite error. Throws DataError for files that cannot be read or do not have the same
// dialogues, numbers and names.
std::vector<VerifyRow> verify_case(const std::string& directory, DType dtype, Device device = {});

}  // namespace heed
