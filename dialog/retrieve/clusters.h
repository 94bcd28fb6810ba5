// Clusters of vectors, for whitelists (Swanson et al. 2019).
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/tensor.h"

namespace heed::retrieve {

struct Clusters {
  std::vector<int32_t> of;       // each row's
  std::vector<double> distance;  // and its squared distance from the centre
  Tensor centres;                // (k, width)
};
// k-means of the rows (n, width): centres that k-means++ draws (Arthur & Vassilvitskii 2007), and
// rounds of Lloyd until nothing moves, at most 25. A cluster that loses all its rows keeps its
// centre. Throws UsageError unless 1 <= k <= n.
Clusters k_means(const Tensor& rows, int64_t k, uint64_t seed);

}  // namespace heed::retrieve
