#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <vector>

namespace heed {

constexpr int64_t kEnd = INT64_MAX;  // the end of an axis, for a range of it

// The sizes of a tensor's axes, at most kMaxRank of them; a scalar has none. Row-major throughout.
class Shape {
 public:
  static constexpr int kMaxRank = 6;

  Shape() = default;
  // Throws ShapeError for more than kMaxRank axes, negative sizes, or more than 2^59 elements
  // (axes of size 0 not counted), so that no product of sizes or bytes overflows.
  Shape(std::initializer_list<int64_t> sizes) : Shape(sizes.begin(), sizes.size()) {}
  explicit Shape(const std::vector<int64_t>& sizes) : Shape(sizes.data(), sizes.size()) {}

  int rank() const { return rank_; }
  int64_t numel() const { return numel_; }
  // The size of an axis; negative axes count from the end. Throws ShapeError outside [-rank, rank).
  int64_t operator[](int axis) const { return sizes_[normalize(axis)]; }
  int64_t back() const { return (*this)[-1]; }
  // The axis as a number in [0, rank). Throws ShapeError, which begins with the name of the op.
  int normalize(int axis, const char* op = "shape") const;
  // The range [begin, end) of an axis in [0, rank) as numbers in [0, size]: negative ones count
  // from the end, and kEnd is the end. Throws ShapeError, which begins with the name of the op, if
  // the range leaves the axis.
  std::pair<int64_t, int64_t> range(const char* op, int axis, int64_t begin, int64_t end) const;

  Shape with(int axis, int64_t size) const;    // the same shape with one axis resized
  Shape without(int axis) const;               // one axis removed
  Shape insert(int axis, int64_t size) const;  // one axis added before `axis`
  int64_t product(int begin, int end) const;   // of the sizes of axes [begin, end)

  bool operator==(const Shape& other) const = default;
  std::string str() const;  // "(2, 3)"
  std::vector<int64_t> sizes() const { return {begin(), end()}; }
  const int64_t* begin() const { return sizes_.data(); }  // for (int64_t size : shape)
  const int64_t* end() const { return begin() + rank_; }

 private:
  Shape(const int64_t* sizes, size_t rank);

  std::array<int64_t, kMaxRank> sizes_{};
  int rank_ = 0;
  int64_t numel_ = 1;
};
std::ostream& operator<<(std::ostream& out, const Shape& shape);  // str()

}  // namespace heed
