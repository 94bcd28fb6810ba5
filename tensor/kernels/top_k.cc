#include "tensor/kernels/top_k.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tensor/kernels/row_math.h"
#include "tensor/parallel.h"

namespace heed::cpu {
namespace {

template <class T> struct Entry {
  T value;
  int32_t id;
};

template <class T> bool better(const Entry<T>& a, const Entry<T>& b) {
  return a.value > b.value || (a.value == b.value && a.id < b.id);
}

// The largest value that is less than bound, or -infinity.
template <class T> T largest_below(const T* x, int64_t n, T bound) {
  T max = -std::numeric_limits<T>::infinity();
#pragma omp simd reduction(max : max)
  for (int64_t i = 0; i < n; ++i) max = x[i] < bound && x[i] > max ? x[i] : max;
  return max;
}

// The k best of a row, best first; a NaN counts as -infinity. The columns are dealt to lanes, whose
// maxima a vector loop finds. The k-th largest of them (equal ones counted once, which makes it
// only smaller) is reached by k columns at least, so only the lanes that reach it are looked into
// (docs/performance.md, "Decoding").
template <class T> void top_k(std::vector<Entry<T>>& best, const T* x, int64_t cols, int64_t k) {
  constexpr int64_t kLanes = 256;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  T maxima[kLanes];
  std::fill_n(maxima, kLanes, -kInfinity);
  for (int64_t begin = 0; begin < cols; begin += kLanes) {
    const int64_t n = std::min(kLanes, cols - begin);
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) {
      maxima[j] = x[begin + j] > maxima[j] ? x[begin + j] : maxima[j];
    }
  }
  T bound = k > kLanes ? -kInfinity : kInfinity;
  for (int64_t i = 0; i < k && bound > -kInfinity; ++i)
    bound = largest_below(maxima, kLanes, bound);

  best.clear();
  for (int64_t j = 0; j < std::min(kLanes, cols); ++j) {
    if (maxima[j] < bound) continue;
    for (int64_t i = j; i < cols; i += kLanes) {
      if (x[i] < bound) continue;
      best.push_back({std::isnan(x[i]) ? -kInfinity : x[i], static_cast<int32_t>(i)});
    }
  }
  std::partial_sort(best.begin(), best.begin() + k, best.end(), better<T>);
}

}  // namespace

template <class T>
void top_k_log_softmax(double* log_probs, int32_t* ids, const T* x, int64_t rows, int64_t cols,
                       int64_t k) {
  parallel_ranges(rows, 4096 / (cols + 1) + 1, [=](int64_t begin, int64_t end) {
    std::vector<Entry<T>> best;
    for (int64_t r = begin; r < end; ++r) {
      const T* const row = x + r * cols;
      top_k(best, row, cols, k);
      const T max = best.front().value;
      const double log_sum = std::log(static_cast<double>(row_sum_exp(row, max, cols)));
      for (int64_t i = 0; i < k; ++i) {
        log_probs[r * k + i] = static_cast<double>(best[i].value) - max - log_sum;
        ids[r * k + i] = best[i].id;
      }
    }
  });
}

HEED_INSTANTIATE(top_k_log_softmax);

}  // namespace heed::cpu
