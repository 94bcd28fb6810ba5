#include "autograd/keep_packed.h"

#include <utility>

#include "tensor/dispatch.h"

namespace heed {
namespace {

Tensor pack(const Matrix& b) {
  int64_t elements = 0;
  KERNEL(b, packed_size<T>(&elements, b.rows(), b.cols()));
  const Tensor packed = Tensor::empty({elements}, b.dtype(), b.device());
  KERNEL(b, pack_matrix(packed.data<T>(), b.as<const T>()));
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

KeepPacked::Use::Use(KeepPacked& kept) : used_(outermost, &kept) {}

Tensor KeepPacked::packed(const Matrix& weight) {
  const std::lock_guard lock(mutex_);
  const uint32_t version = weight.memory().version();
  for (Entry& entry : entries_) {
    if (!(entry.weight == weight)) continue;
    if (entry.version != version || entry.precision != matmul()) {
      entry = {weight, version, matmul(), pack(weight)};
    }
    return entry.packed;
  }
  entries_.push_back({weight, version, matmul(), pack(weight)});
  return entries_.back().packed;
}

RightFactor::RightFactor(Matrix b, int64_t products) : plain_(std::move(b)) {
  if (plain_.device().is_cuda()) return;
  if (KeepPacked* const keep = KeepPacked::active()) {
    packed_ = keep->packed(plain_);
  } else if (products > 1) {
    packed_ = pack(plain_);
  }
}

void gemm(const Matrix& c, const Matrix& a, const RightFactor& b, Write write) {
  if (!b.packed_.defined()) return gemm(c, a, b.plain_, write);
  check_product(c, a, b.plain_);
  KERNEL(c, gemm_packed(c.as<T>(), a.as<const T>(), b.packed_.data<T>(), write));
}

void gemm(const Destination& c, const Matrix& a, const RightFactor& b) {
  gemm(c.at, a, b, c.write);
}

}  // namespace heed
