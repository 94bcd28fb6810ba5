#pragma once

#include "tensor/kernels/kernel.h"

namespace heed {

// A matrix (rows, cols) in row-major memory: rows `ld` elements apart, so that some columns of a
// matrix are a matrix too. If `transposed`, the memory holds the transpose, (cols, rows).
template <class T> struct Mat {
  T* at;
  int64_t rows, cols, ld;
  bool transposed = false;
  int64_t stride = 0;  // of many matrices: elements from one to the next

  Mat t() const { return {at, cols, rows, ld, !transposed, stride}; }
  operator Mat<const T>() const { return {at, rows, cols, ld, transposed, stride}; }
};

}  // namespace heed

// C = A B or C += A B for A (m, k), B (k, n), C (m, n); C is not transposed.
//
// On the CPU every element of C is summed in the order of k, by blocks of up to 512, wherever it
// stands in C, whatever m is and however many threads there are: a row's result does not depend on
// the rows beside it, and a sum of 20,480 terms of one sign is right to 1e-6 in f32.
HEED_KERNEL(template <class T> void gemm(Mat<T> c, Mat<const T> a, Mat<const T> b, Write write));
// The same for `batch` matrices, each `stride` elements after the one before.
HEED_KERNEL(template <class T> void gemm_batched(Mat<T> c, Mat<const T> a, Mat<const T> b,
                                                 int64_t batch, Write write));

// For a B that is multiplied with many small A's, such as the recurrent weights in every time step:
// pack B (k, n) once into as many elements as packed_size says, then C = A B (or +=) with the same
// results as gemm. A is not transposed.
HEED_KERNEL(template <class T> void packed_size(int64_t* elements, int64_t k, int64_t n));
HEED_KERNEL(template <class T> void pack_matrix(T* packed, Mat<const T> b));
HEED_KERNEL(template <class T>
            void gemm_packed(Mat<T> c, Mat<const T> a, const T* packed, Write write));
