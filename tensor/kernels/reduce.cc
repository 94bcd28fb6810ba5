#include "tensor/kernels/reduce.h"

#include <algorithm>
#include <vector>

#include "tensor/parallel.h"

namespace heed::cpu {

template <class T>
void sum_forward(T* y, const T* x, T scale, int64_t outer, int64_t n, int64_t inner) {
  if (inner == 1) {  // sums of contiguous rows, long ones in pieces of fixed length
    constexpr int64_t kPiece = 65536;
    const int64_t pieces = (n + kPiece - 1) / kPiece;
    std::vector<T> partial(outer * pieces);
    parallel_for(outer * pieces, [&](int64_t i) {
      const T* first = x + i / pieces * n + i % pieces * kPiece;
      const int64_t count = std::min(kPiece, n - i % pieces * kPiece);
      T sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int64_t j = 0; j < count; ++j) sum += first[j];
      partial[i] = sum;
    });
    for (int64_t o = 0; o < outer; ++o) {
      T sum = 0;
      for (int64_t p = 0; p < pieces; ++p) sum += partial[o * pieces + p];
      y[o] = scale * sum;
    }
    return;
  }
  parallel_for(outer, [=](int64_t o) {
    std::fill(y + o * inner, y + (o + 1) * inner, T(0));
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t i = 0; i < inner; ++i) y[o * inner + i] += scale * x[(o * n + j) * inner + i];
    }
  });
}

template <class T>
void sum_backward(Out<T> dx, const T* dy, T scale, int64_t outer, int64_t n, int64_t inner) {
  parallel_ranges(outer * n, 16384 / (inner + 1) + 1, [=](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const T* from = dy + row / n * inner;
      for (int64_t i = 0; i < inner; ++i) dx.put(row * inner + i, scale * from[i]);
    }
  });
}

template <class T>
void max_forward(T* y, int32_t* where, const T* x, int64_t outer, int64_t n, int64_t inner) {
  parallel_for(outer, [=](int64_t o) {
    for (int64_t i = 0; i < inner; ++i) {
      int64_t best = 0;
      for (int64_t j = 1; j < n; ++j) {
        if (beats(x[(o * n + j) * inner + i], x[(o * n + best) * inner + i])) best = j;
      }
      where[o * inner + i] = static_cast<int32_t>(best);
      y[o * inner + i] = x[(o * n + best) * inner + i];
    }
  });
}

template <class T>
void max_backward(T* dx, const int32_t* where, const T* dy, int64_t outer, int64_t n,
                  int64_t inner) {
  parallel_for(outer, [=](int64_t o) {
    for (int64_t i = 0; i < inner; ++i) {
      dx[(o * n + where[o * inner + i]) * inner + i] += dy[o * inner + i];
    }
  });
}

HEED_INSTANTIATE(sum_forward);
HEED_INSTANTIATE(sum_backward);
HEED_INSTANTIATE(max_forward);
HEED_INSTANTIATE(max_backward);

}  // namespace heed::cpu
