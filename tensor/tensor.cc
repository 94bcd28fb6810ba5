#include "tensor/tensor.h"

#include <cstring>
#include <sstream>

#include "tensor/allocator.h"
#include "tensor/cuda/runtime.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/elementwise.h"
#include "tensor/kernels/layout.h"

namespace heed {

Tensor Tensor::empty(Shape shape, DType dtype, Device device) {
  Tensor t;
  t.shape_ = shape;
  t.dtype_ = dtype;
  t.device_ = device;
  t.memory_ = allocate(t.bytes(), device);
  return t;
}

Tensor Tensor::zeros(Shape shape, DType dtype, Device device) {
  Tensor t = empty(shape, dtype, device);
  if (t.bytes() == 0) return t;
  if (device.is_cuda()) {
    cuda::set_device(device.index);
    cuda::zero(t.raw(), t.bytes());
    return t;
  }
  std::memset(t.raw(), 0, t.bytes());
  return t;
}

Tensor Tensor::full(Shape shape, double value, DType dtype, Device device) {
  Tensor t = empty(shape, dtype, device);
  t.fill(value);
  return t;
}

template <class T>
Tensor Tensor::from_host(const std::vector<T>& values, Shape shape, Device device) {
  check_shape(static_cast<int64_t>(values.size()) == shape.numel(), "tensor: ", values.size(),
              " values do not fill the shape ", shape);
  Tensor t = empty(shape, DTypeOf<T>::value);
  if (!values.empty()) std::memcpy(t.raw(), values.data(), t.bytes());
  return t.to(device);
}
Tensor Tensor::from(const std::vector<float>& values, Shape shape, Device device) {
  return from_host(values, shape, device);
}
Tensor Tensor::from(const std::vector<double>& values, Shape shape, Device device) {
  return from_host(values, shape, device);
}
Tensor Tensor::from(const std::vector<int32_t>& values, Shape shape, Device device) {
  return from_host(values, shape, device);
}

void Tensor::fail_data(DType asked) const {
  if (!defined()) throw InternalError("internal error: data of an undefined tensor");
  throw ShapeError(
      text("tensor: element type is ", name_of(dtype_), ", expected ", name_of(asked)));
}

Tensor Tensor::reshape(Shape shape) const {
  check_shape(shape.numel() == numel(), "reshape: ", shape_, " has ", numel(), " elements, ", shape,
              " has ", shape.numel());
  Tensor view = *this;
  view.shape_ = shape;
  return view;
}

Tensor Tensor::rows(int64_t begin, int64_t end) const {
  check_shape(shape_.rank() >= 1, "rows: a scalar has no rows");
  check_shape(0 <= begin && begin <= end && end <= shape_[0], "rows: range [", begin, ", ", end,
              ") is outside of the leading axis of ", shape_);
  Tensor view = *this;
  view.shape_ = shape_.with(0, end - begin);
  const int64_t row_bytes = shape_.product(1, shape_.rank()) * size_of(dtype_);
  view.memory_ = {memory_, memory_.get() + begin * row_bytes};
  return view;
}

Tensor Tensor::operator[](int64_t row) const {
  return rows(row, row + 1).reshape(shape_.without(0));
}

Tensor Tensor::clone() const {
  Tensor copy = empty_like(*this);
  copy.copy_from(*this);
  return copy;
}

Tensor Tensor::to(DType dtype) const {
  if (dtype == dtype_) return *this;
  check_shape(dtype != DType::i32 && dtype_ != DType::i32, "to: i32 tensors are not converted");
  Tensor result = empty(shape_, dtype, device_);
  if (dtype == DType::f64) {
    ON_DEVICE(result, convert(result.data<double>(), data<float>(), numel()));
  } else {
    ON_DEVICE(result, convert(result.data<float>(), data<double>(), numel()));
  }
  return result;
}

Tensor Tensor::to(Device device) const {
  if (device == device_) return *this;
  Tensor result = empty(shape_, dtype_, device);
  result.copy_from(*this);
  return result;
}

void Tensor::copy_from(const Tensor& source) const {
  check_shape(shape_ == source.shape_ && dtype_ == source.dtype_, "copy: ", name_of(source.dtype_),
              " ", source.shape_, " does not fit into ", name_of(dtype_), " ", shape_);
  if (bytes() == 0 || raw() == source.raw()) return;
  mark_written();
  if (!device_.is_cuda() && !source.device_.is_cuda()) {
    std::memmove(raw(), source.raw(), bytes());
    return;
  }
  const bool overlap = raw() < source.raw() + bytes() && source.raw() < raw() + bytes();
  const Tensor from = overlap ? source.clone() : source;  // cudaMemcpy has no order
  cuda::set_device(device_.is_cuda() ? device_.index : source.device_.index);
  cuda::copy(raw(), from.raw(), bytes());
}

uint32_t Tensor::version() const {
  return write_count(memory_);
}

void Tensor::mark_written() const {
  count_write(memory_);
}

void Tensor::fill(double value) const {
  if (dtype_ == DType::i32) {
    return copy_from(from(std::vector<int32_t>(numel(), static_cast<int32_t>(value)), shape_));
  }
  mark_written();
  KERNEL(*this, fill(data<T>(), static_cast<T>(value), numel()));
}

double Tensor::item() const {
  check_shape(numel() == 1, "item: needs exactly one element, got the shape ", shape_);
  return to_vector()[0];
}

std::vector<double> Tensor::to_vector() const {
  const Tensor host = to(Device{});
  std::vector<double> values(numel());
  for (int64_t i = 0; i < numel(); ++i) {
    values[i] = dtype_ == DType::f32   ? host.data<float>()[i]
                : dtype_ == DType::f64 ? host.data<double>()[i]
                                       : host.data<int32_t>()[i];
  }
  return values;
}

std::vector<int32_t> Tensor::to_ints() const {
  const Tensor host = to(Device{});
  const int32_t* first = host.data<int32_t>();
  return {first, first + numel()};
}

namespace {

// Appends the sub-array at `axis` that begins with element `at`; returns the element after it.
int64_t print_axis(std::ostream& out, const Shape& shape, const std::vector<double>& values,
                   int axis, int64_t at) {
  if (axis == shape.rank()) {
    out << values[at];
    return at + 1;
  }
  out << '[';
  for (int64_t i = 0; i < shape[axis]; ++i) {
    if (i) out << ", ";
    at = print_axis(out, shape, values, axis + 1, at);
  }
  out << ']';
  return at;
}

}  // namespace

std::string Tensor::str(int64_t max_elements) const {
  if (!defined()) return "undefined";
  std::ostringstream out;
  out << name_of(dtype_) << ' ' << shape_.str() << ' ';
  if (numel() > max_elements) {
    out << "[...]";
  } else {
    print_axis(out, shape_, to_vector(), 0, 0);
  }
  return out.str();
}

}  // namespace heed
