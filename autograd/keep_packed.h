// Weights that are brought into the order of the matrix product once, not in every call.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/kernels/gemm.h"
#include "tensor/tensor.h"

namespace heed {

// While one lives, lstm(), affine() and affine_columns() on this thread keep the packed form
// (tensor/kernels/gemm.h) of each weight that they multiply with: a second copy of the weights in
// memory, for loops whose steps multiply few rows with them, as a decoder's do. The results are the
// same to the bit. The weights must not change meanwhile. One inside of another does nothing: the
// outer one keeps all. On CUDA it does nothing either: cuBLAS packs for itself.
class KeepPacked {
 public:
  KeepPacked();
  ~KeepPacked();
  KeepPacked(const KeepPacked&) = delete;
  KeepPacked& operator=(const KeepPacked&) = delete;
  static KeepPacked* active();  // the outermost one, or null

  // The columns [first_col, first_col + cols) of w (rows, any), or their transpose, packed.
  Tensor packed(const Tensor& w, Trans trans, int64_t first_col, int64_t cols);

 private:
  struct Entry {
    Tensor weight;  // holds the memory, so that no other weight can have its address
    Trans trans;
    int64_t first_col, cols;
    Tensor packed;
  };
  std::vector<Entry> entries_;
};

// Products of matrices with one op(W'), where W' are the columns [first_col, first_col + cols) of
// w. It is packed where there will be `several` products or a KeepPacked lives.
class Multiplier {
 public:
  Multiplier(Tensor w, Trans trans, int64_t first_col, int64_t cols, bool several = false);

  // C (m, n) = A (m, k) op(W') (k, n), or += with accumulate
  void operator()(const Tensor& c, const Tensor& a, bool accumulate) const;

 private:
  Tensor w_, packed_;
  Trans trans_;
  int64_t first_col_;
};

}  // namespace heed
