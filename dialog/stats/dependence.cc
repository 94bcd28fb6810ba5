#include "dialog/stats/dependence.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/error.h"

namespace heed {

Dependence dependence(const std::vector<int32_t>& a, const std::vector<int32_t>& b) {
  check_shape(a.size() == b.size(), "dependence: ", a.size(), " and ", b.size(), " labels");
  std::map<int32_t, double> rows, columns;
  std::map<std::pair<int32_t, int32_t>, double> cells;
  for (size_t i = 0; i < a.size(); ++i) ++rows[a[i]], ++columns[b[i]], ++cells[{a[i], b[i]}];
  const auto n = static_cast<double>(a.size());
  const double smaller = static_cast<double>(std::min(rows.size(), columns.size())) - 1;
  if (smaller < 1) return {};
  double sum = 0;  // chi2 = N (sum_ij n_ij^2 / (r_i c_j) - 1): empty cells add nothing
  for (const auto& [cell, count] : cells) {
    sum += count * count / (rows[cell.first] * columns[cell.second]);
  }
  const double chi2 = std::max(0.0, n * (sum - 1));
  return {chi2, std::sqrt(chi2 / n), std::sqrt(chi2 / (n * smaller))};
}

}  // namespace heed
