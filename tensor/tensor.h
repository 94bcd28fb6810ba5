#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "tensor/device.h"
#include "tensor/shape.h"

namespace heed {

class Matrix;

// A number, a list of numbers, or a list of such lists: {{1, 2}, {3, 4}}. For Tensor::of().
struct Nested {
  Nested(double number) : value(number) {}
  Nested(std::initializer_list<Nested> list) : is_list(true), parts(list) {}

  double value = 0;
  bool is_list = false;
  std::vector<Nested> parts;
};

// A contiguous row-major array on one device. Copying a Tensor copies a reference to its memory;
// reshape() and rows() are views of the same memory; everything else is a kernel.
class [[nodiscard]] Tensor {
 public:
  Tensor() = default;  // undefined: no memory, defined() is false

  static Tensor empty(Shape shape, DType dtype = DType::f32, Device device = {});
  static Tensor zeros(Shape shape, DType dtype = DType::f32, Device device = {});
  static Tensor ones(Shape shape, DType dtype = DType::f32, Device device = {}) {
    return full(shape, 1, dtype, device);
  }
  // Throws ShapeError for i32 where the value is not a 32-bit integer, as fill() does.
  static Tensor full(Shape shape, double value, DType dtype = DType::f32, Device device = {});
  // Copies values from the host. Throws ShapeError if their number is not shape.numel().
  static Tensor from(const std::vector<float>& values, Shape shape, Device device = {});
  static Tensor from(const std::vector<double>& values, Shape shape, Device device = {});
  static Tensor from(const std::vector<int32_t>& values, Shape shape, Device device = {});
  // Tensor::from({1.5f, 2.5f}, {2}): the type is that of the numbers in the list.
  template <class T>
  static Tensor from(std::initializer_list<T> values, Shape shape, Device device = {}) {
    return from(std::vector<T>(values), shape, device);
  }
  static Tensor from(const std::vector<int32_t>& values, Device device = {}) {
    return from(values, {static_cast<int64_t>(values.size())}, device);
  }

  // Tensor::of({{1, 2}, {3, 4}}): the shape is that of the lists. Throws ShapeError if lists of one
  // axis differ in length, and for i32 if a number is not a 32-bit integer.
  static Tensor of(const Nested& values, DType dtype = DType::f32, Device device = {});

  bool defined() const { return memory_ != nullptr; }
  const Shape& shape() const { return shape_; }
  DType dtype() const { return dtype_; }
  Device device() const { return device_; }
  int64_t numel() const { return shape_.numel(); }
  int64_t bytes() const { return numel() * size_of(dtype_); }

  // The first element. Throws ShapeError for an undefined tensor and if T is not its element type,
  // and as raw() does InternalError if there is only a shape (tensor/shapes_only.h).
  template <class T> T* data() const {
    if (!defined() || shape_only_ || dtype_ != DTypeOf<T>::value) fail_data(DTypeOf<T>::value);
    return reinterpret_cast<T*>(memory_.get());
  }
  std::byte* raw() const {
    if (shape_only_) fail_data(dtype_);
    return memory_.get();
  }

  Tensor reshape(Shape shape) const;  // view; the same number of elements
  // Views: the range [begin, end) of the leading axis, and one row of it, without the axis.
  // Negative numbers count from the end, as in Python; kEnd is the end.
  Tensor rows(int64_t begin, int64_t end) const;
  Tensor operator[](int64_t row) const;
  Matrix t() const;  // transposed, for products (tensor/matrix.h)
  // True if no other tensor refers to its memory, and for a tensor that has only a shape.
  bool shares_memory_uniquely() const { return memory_.use_count() <= 1; }

  Tensor clone() const;
  // A converted copy, or this tensor if it has that type already. Conversion to i32 runs on the
  // host and cuts off fractions. It throws ShapeError for NaN and for a number beyond 32 bits.
  Tensor to(DType dtype) const;
  Tensor to(Device device) const;  // a copy on the device, or this tensor if it is there already
  // Shapes and element types must be equal; the devices may differ, and the two may overlap.
  void copy_from(const Tensor& source) const;
  void fill(double value) const;

  // How often copy_from(), fill() or mark_written() changed the memory, through this tensor or one
  // that shares it. Call mark_written() after changing values through data(), so that a backward
  // pass that needs the old values throws (Saved in autograd/node.h).
  uint32_t version() const;
  void mark_written() const;

  double item() const;                    // the value of a tensor with one element
  std::vector<double> to_vector() const;  // all elements, on the host
  std::vector<int32_t> to_ints() const;   // all elements of an i32 tensor, on the host
  // One element: t(i, j) or t.at({i, j}); negative indices count from the end. Use it for a few
  // elements only: each call copies from the device.
  double at(const std::vector<int64_t>& index) const;
  template <std::integral... Index> double operator()(Index... index) const {
    return at({static_cast<int64_t>(index)...});
  }
  // "f32 (2, 2) [[1, 2], [3, 4]]"; with more elements the first and last three along each axis:
  // "f32 (99) [0, 1, 2, ..., 96, 97, 98]"
  std::string str(int64_t max_elements = 64) const;

 private:
  [[noreturn]] void fail_data(DType asked) const;
  template <class T>
  static Tensor from_host(const std::vector<T>& values, Shape shape, Device device);

  std::shared_ptr<std::byte> memory_;  // points at the first element; owns the whole block
  Shape shape_{0};
  DType dtype_ = DType::f32;
  bool shape_only_ = false;  // there is no memory to touch (tensor/shapes_only.h)
  Device device_;
};

std::ostream& operator<<(std::ostream& out, const Tensor& t);  // str()

inline Tensor empty_like(const Tensor& x) {
  return Tensor::empty(x.shape(), x.dtype(), x.device());
}
inline Tensor zeros_like(const Tensor& x) {
  return Tensor::zeros(x.shape(), x.dtype(), x.device());
}

}  // namespace heed
