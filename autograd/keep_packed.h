// Weights that are brought into the order of the matrix product once, not in every call.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "base/scoped_value.h"
#include "tensor/matrix.h"

namespace heed {

// While one exists, lstm(), affine() and affine_columns() on this thread keep the packed form
// (tensor/kernels/gemm.h) of each weight that they multiply with. It costs a second copy of the
// weights, and pays in loops whose steps multiply few rows, such as a decoder's. The results are
// the same to the bit. A weight is packed again when it has changed (Tensor::version) or when
// set_matmul() has changed the precision. Nested ones do nothing: the outermost keeps all. On CUDA
// it does nothing: cuBLAS packs for itself.
class KeepPacked {
 public:
  KeepPacked();
  ~KeepPacked();
  KeepPacked(const KeepPacked&) = delete;
  KeepPacked& operator=(const KeepPacked&) = delete;
  static KeepPacked* active();  // the outermost one, or null

  Tensor packed(const Matrix& weight);

  // While one exists, its thread keeps weights in a KeepPacked of another thread, which all of them
  // share.
  class Use {
   public:
    explicit Use(KeepPacked& kept);

   private:
    const ScopedValue<KeepPacked*> used_;
  };

 private:
  struct Entry {
    Matrix weight;  // holds the memory, so that no other weight can have its address
    uint32_t version;
    Matmul precision;
    Tensor packed;
  };
  std::mutex mutex_;
  std::vector<Entry> entries_;
};

// The right factor B of so many products C = A B: packed if there are several or a KeepPacked
// lives.
class RightFactor {
 public:
  explicit RightFactor(Matrix b, int64_t products = 1);
  // As gemm_packed() takes it; null where it is not packed.
  template <class T> const T* packed() const {
    return packed_.defined() ? packed_.data<T>() : nullptr;
  }

 private:
  friend void gemm(const Matrix& c, const Matrix& a, const RightFactor& b, Write write);
  Matrix plain_;
  Tensor packed_;
};

// C = A B or C += A B, as in tensor/matrix.h.
void gemm(const Matrix& c, const Matrix& a, const RightFactor& b, Write write = Write::assign);
void gemm(const Destination& c, const Matrix& a, const RightFactor& b);

}  // namespace heed
