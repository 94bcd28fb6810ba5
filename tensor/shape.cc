#include "tensor/shape.h"

#include <algorithm>
#include <ostream>

#include "base/error.h"

namespace heed {

Shape::Shape(const int64_t* sizes, size_t rank) : rank_(static_cast<int>(rank)) {
  check_shape(rank <= kMaxRank, "shape: at most 6 axes, got ", rank);
  constexpr int64_t kMaxElements = int64_t{1} << 59;
  int64_t without_zeros = 1;
  for (int i = 0; i < rank_; ++i) {
    sizes_[i] = sizes[i];
    check_shape(sizes[i] >= 0, "shape: negative size ", sizes[i]);
    check_shape(sizes[i] == 0 || without_zeros <= kMaxElements / sizes[i],
                "shape: more than 2^59 elements");
    if (sizes[i] > 0) without_zeros *= sizes[i];
    numel_ *= sizes[i];
  }
}

int Shape::normalize(int axis, const char* op) const {
  const int result = axis < 0 ? axis + rank_ : axis;
  check_shape(result >= 0 && result < rank_, op, ": axis ", axis, " is outside of the shape ",
              *this);
  return result;
}

std::pair<int64_t, int64_t> Shape::range(const char* op, int axis, int64_t begin,
                                         int64_t end) const {
  const int64_t n = sizes_[axis], given_end = end == kEnd ? n : end;
  const int64_t first = begin < 0 ? begin + n : begin;
  const int64_t last = given_end < 0 ? given_end + n : given_end;
  check_shape(0 <= first && first <= last && last <= n, op, ": range [", begin, ", ", given_end,
              ") is outside of axis ", axis, " of ", *this);
  return {first, last};
}

Shape Shape::with(int axis, int64_t size) const {
  std::array<int64_t, kMaxRank> s = sizes_;
  s[normalize(axis)] = size;
  return Shape(s.data(), rank_);
}

Shape Shape::without(int axis) const {
  std::array<int64_t, kMaxRank> s = sizes_;
  const int a = normalize(axis);
  std::copy(sizes_.begin() + a + 1, sizes_.begin() + rank_, s.begin() + a);
  return Shape(s.data(), rank_ - 1);
}

Shape Shape::insert(int axis, int64_t size) const {
  check_shape(axis >= 0 && axis <= rank_, "shape: axis ", axis, " is outside of the shape ", *this);
  std::array<int64_t, kMaxRank + 1> s{};
  std::copy(sizes_.begin(), sizes_.begin() + axis, s.begin());
  s[axis] = size;
  std::copy(sizes_.begin() + axis, sizes_.begin() + rank_, s.begin() + axis + 1);
  return Shape(s.data(), rank_ + 1);
}

int64_t Shape::product(int begin, int end) const {
  int64_t result = 1;
  for (int i = begin; i < end; ++i) result *= sizes_[i];
  return result;
}

std::string Shape::str() const {
  std::string text = "(";
  for (int i = 0; i < rank_; ++i) text += (i ? ", " : "") + std::to_string(sizes_[i]);
  return text + ")";
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  return out << shape.str();
}

}  // namespace heed
