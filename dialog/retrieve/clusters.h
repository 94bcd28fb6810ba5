// Clusters of vectors, for whitelists (Swanson et al. 2019).
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/tensor.h"

namespace heed::retrieve {

struct Clusters {
  std::vector<int32_t> of;       // the cluster of each row
  std::vector<double> distance;  // its squared distance from the centre
  Tensor centres;                // (k, width)
};
// k-means of the rows (n, width): centres drawn by k-means++ (Arthur & Vassilvitskii 2007), and at
// most 25 rounds of Lloyd's algorithm, until nothing moves. A cluster that loses all its rows keeps
// its centre. Throws UsageError unless 1 <= k <= n.
Clusters k_means(const Tensor& rows, int64_t k, uint64_t seed);

}  // namespace heed::retrieve
