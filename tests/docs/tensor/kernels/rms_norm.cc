#include "tensor/kernels/rms_norm.h"

#include <cmath>

#include "tensor/parallel.h"

namespace heed::cpu {

template <class T>
void rms_norm_forward(T* y, T* r, const T* x, T eps, int64_t rows, int64_t cols) {
  parallel_for(rows, [=](int64_t row) {  // a row belongs to one thread
    const int64_t begin = row * cols, end = begin + cols;
    T squares = 0;
    for (int64_t i = begin; i < end; ++i) squares += x[i] * x[i];
    r[row] = T(1) / std::sqrt(squares / T(cols) + eps);
    for (int64_t i = begin; i < end; ++i) y[i] = x[i] * r[row];
  });
}

template <class T>
void rms_norm_backward(Out<T> dx, const T* y, const T* r, const T* dy, int64_t rows, int64_t cols) {
  parallel_for(rows, [=](int64_t row) {
    const int64_t begin = row * cols, end = begin + cols;
    T dot = 0;
    for (int64_t i = begin; i < end; ++i) dot += dy[i] * y[i];
    for (int64_t i = begin; i < end; ++i) dx.put(i, r[row] * (dy[i] - y[i] * dot / T(cols)));
  });
}

HEED_INSTANTIATE(rms_norm_forward, rms_norm_backward);

}  // namespace heed::cpu
