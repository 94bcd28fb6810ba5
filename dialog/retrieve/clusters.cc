#include "dialog/retrieve/clusters.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "autograd/ops.h"
#include "base/error.h"
#include "tensor/random.h"

namespace heed::retrieve {
namespace {

constexpr int kRounds = 25;
constexpr int64_t kBlock = 1024;  // rows at once

double squared_distance(const float* a, const float* b, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

// Each next centre is a row, drawn with the probability of its squared distance from the centres
// that there are.
Tensor draw_centres(const Tensor& rows, int64_t k, Rng rng) {
  const int64_t n = rows.shape()[0], width = rows.shape()[1];
  const Tensor centres = Tensor::empty({k, width});
  std::vector<double> least(n, std::numeric_limits<double>::infinity());
  int64_t drawn = static_cast<int64_t>(rng.below(static_cast<uint64_t>(n)));
  for (int64_t c = 0;; ++c) {
    centres[c].copy_from(rows[drawn]);
    if (c + 1 == k) return centres;
    const float* centre = centres.data<float>() + c * width;
    for (int64_t i = 0; i < n; ++i) {
      least[i] =
          std::min(least[i], squared_distance(rows.data<float>() + i * width, centre, width));
    }
    double left = rng.uniform() * std::accumulate(least.begin(), least.end(), 0.0);
    for (drawn = 0; drawn + 1 < n && left >= least[drawn]; ++drawn) left -= least[drawn];
  }
}

// |x - c|^2 = |x|^2 - 2 (x . c - |c|^2 / 2): the nearest centre has the largest bracket.
void assign(const Tensor& rows, Clusters& clusters) {
  const NoGrad guard;
  const int64_t n = rows.shape()[0], width = rows.shape()[1], k = clusters.centres.shape()[0];
  std::vector<float> half(k);
  const float* c = clusters.centres.data<float>();
  for (int64_t j = 0; j < k; ++j) {
    half[j] = std::inner_product(c + j * width, c + (j + 1) * width, c + j * width, 0.0f) / 2;
  }
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t end = std::min(n, begin + kBlock);
    const Tensor products = affine(Var(rows.rows(begin, end)), Var(clusters.centres)).value();
    for (int64_t i = begin; i < end; ++i) {
      const float* of = products.data<float>() + (i - begin) * k;
      int32_t best = 0;
      for (int32_t j = 1; j < k; ++j) {
        if (of[j] - half[j] > of[best] - half[best]) best = j;
      }
      clusters.of[i] = best;
      clusters.distance[i] =
          squared_distance(rows.data<float>() + i * width, c + best * width, width);
    }
  }
}

void move_centres(const Tensor& rows, Clusters& clusters) {
  const int64_t n = rows.shape()[0], width = rows.shape()[1], k = clusters.centres.shape()[0];
  std::vector<double> sums(k * width), counts(k);
  for (int64_t i = 0; i < n; ++i) {
    const float* row = rows.data<float>() + i * width;
    ++counts[clusters.of[i]];
    for (int64_t d = 0; d < width; ++d) sums[clusters.of[i] * width + d] += row[d];
  }
  for (int64_t j = 0; j < k; ++j) {
    for (int64_t d = 0; d < width && counts[j] > 0; ++d) {
      clusters.centres.data<float>()[j * width + d] =
          static_cast<float>(sums[j * width + d] / counts[j]);
    }
  }
}

}  // namespace

Clusters k_means(const Tensor& rows, int64_t k, uint64_t seed) {
  const int64_t n = rows.shape()[0];
  if (k < 1 || k > n) {
    throw UsageError("clusters: expected 1 to " + std::to_string(n) + " of " + std::to_string(n) +
                     " rows, got " + std::to_string(k));
  }
  Clusters clusters{std::vector<int32_t>(n, -1), std::vector<double>(n),
                    draw_centres(rows, k, Rng(seed, "retrieve.clusters", 0))};
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<int32_t> before = clusters.of;
    assign(rows, clusters);
    if (clusters.of == before) break;
    move_centres(rows, clusters);
  }
  assign(rows, clusters);
  return clusters;
}

}  // namespace heed::retrieve
