// The dependence of two kinds of labels.
#pragma once

#include <cstdint>
#include <vector>

namespace heed {

// From the table of counts n_ij of pairs of labels, with row and column sums r_i, c_j and N pairs:
//   chi2 = sum_ij (n_ij - r_i c_j / N)^2 / (r_i c_j / N)           Pearson 1900
//   phi = sqrt(chi2 / N)              which exceeds 1 in tables larger than 2 x 2
//   cramers_v = sqrt(chi2 / (N (min(rows, columns) - 1)))  in [0, 1], Cramer 1946
// Labels that do not occur have no rows. 0 if all labels of one kind are the same.
struct Dependence {
  double chi2 = 0, phi = 0, cramers_v = 0;
};
// Throws ShapeError for lists of different lengths.
Dependence dependence(const std::vector<int32_t>& a, const std::vector<int32_t>& b);

}  // namespace heed
