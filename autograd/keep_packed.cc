#include "autograd/keep_packed.h"

#include <utility>

#include "tensor/dispatch.h"

namespace heed {
namespace {

Tensor pack(const Tensor& w, Trans trans, int64_t first_col, int64_t cols) {
  const int64_t k = trans == Trans::yes ? cols : w.shape()[0];
  const int64_t n = trans == Trans::yes ? w.shape()[0] : cols;
  int64_t elements = 0;
  KERNEL(w, packed_size<T>(&elements, k, n));
  const Tensor packed = Tensor::empty({elements}, w.dtype(), w.device());
  KERNEL(w, pack_matrix(packed.data<T>(), w.data<T>() + first_col, w.shape()[1], trans, k, n));
  return packed;
}

thread_local KeepPacked* outermost = nullptr;

}  // namespace

KeepPacked::KeepPacked() {
  if (!outermost) outermost = this;
}

KeepPacked::~KeepPacked() {
  if (outermost == this) outermost = nullptr;
}

KeepPacked* KeepPacked::active() {
  return outermost;
}

Tensor KeepPacked::packed(const Tensor& w, Trans trans, int64_t first_col, int64_t cols) {
  for (const Entry& e : entries_) {
    if (e.weight.raw() == w.raw() && e.weight.shape() == w.shape() && e.trans == trans &&
        e.first_col == first_col && e.cols == cols) {
      return e.packed;
    }
  }
  entries_.push_back({w, trans, first_col, cols, pack(w, trans, first_col, cols)});
  return entries_.back().packed;
}

Multiplier::Multiplier(Tensor w, Trans trans, int64_t first_col, int64_t cols, bool several)
    : w_(std::move(w)), trans_(trans), first_col_(first_col) {
  KeepPacked* const keep = w_.device().is_cuda() ? nullptr : KeepPacked::active();
  if (keep) {
    packed_ = keep->packed(w_, trans, first_col, cols);
  } else if (several) {
    packed_ = pack(w_, trans, first_col, cols);
  }
}

void Multiplier::operator()(const Tensor& c, const Tensor& a, bool accumulate) const {
  const int64_t k = a.shape().back(), n = c.shape().back();
  const int64_t m = a.shape().product(0, a.shape().rank() - 1);
  if (packed_.defined()) {
    KERNEL(c, gemm_packed(c.data<T>(), n, a.data<T>(), k, packed_.data<T>(), m, n, k, accumulate));
  } else {
    KERNEL(c, gemm(c.data<T>(), n, a.data<T>(), k, Trans::no, w_.data<T>() + first_col_,
                   w_.shape()[1], trans_, m, n, k, accumulate));
  }
}

}  // namespace heed
