#include "tests/autograd/op_table.h"

namespace heed {

const std::vector<OpCase>& op_cases() {
  static const std::vector<OpCase> all = [] {
    std::vector<OpCase> cases;
    for (const auto& part :
         {elementwise_cases(), product_cases(), reduction_cases(), layout_cases(), sequence_cases(),
          multi_head_cases(), index_cases(), composed_cases()}) {
      cases.insert(cases.end(), part.begin(), part.end());
    }
    return cases;
  }();
  return all;
}

Device& table_device() {
  static Device device;
  return device;
}

Tensor zeros_of(Shape shape, DType dtype) {
  return Tensor::zeros(shape, dtype);
}

Tensor pattern(Shape shape, int32_t modulus, int32_t factor, int32_t shift) {
  std::vector<int32_t> values(modulus ? shape.numel() : 0);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = (static_cast<int32_t>(i) * factor + shift) % modulus;
  }
  return Tensor::from(values, modulus ? shape : Shape{0}, table_device());
}

std::vector<int32_t> ragged_lengths(int64_t total, int64_t count) {
  std::vector<int32_t> lengths(count, 1);
  int64_t extra = total - count;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t part = i + 1 < count ? (extra + 1) / 2 : extra;
    lengths[i] += static_cast<int32_t>(part);
    extra -= part;
  }
  return lengths;
}

}  // namespace heed
