#include "tensor/tensor.h"

#include <cmath>
#include <cstring>
#include <ostream>
#include <sstream>
#include <utility>

#include "tensor/allocator.h"
#include "tensor/cuda/runtime.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/elementwise.h"
#include "tensor/shapes_only.h"

namespace heed {

namespace {
thread_local bool shapes_only = false;
}  // namespace

ShapesOnly::ShapesOnly() : active_(shapes_only, true) {}

Tensor Tensor::empty(Shape shape, DType dtype, Device device) {
  Tensor t;
  t.shape_ = shape;
  t.dtype_ = dtype;
  t.device_ = device;
  t.shape_only_ = shapes_only;
  static std::byte none{};  // is pointed to, and never touched
  t.memory_ = shapes_only ? std::shared_ptr<std::byte>(std::shared_ptr<void>(), &none)
                          : allocate(t.bytes(), device);
  return t;
}

Tensor Tensor::zeros(Shape shape, DType dtype, Device device) {
  return full(shape, 0, dtype, device);
}

Tensor Tensor::full(Shape shape, double value, DType dtype, Device device) {
  Tensor t = empty(shape, dtype, device);
  if (!shapes_only) t.fill(value);
  return t;
}

template <class T>
Tensor Tensor::from_host(const std::vector<T>& values, Shape shape, Device device) {
  check_shape(static_cast<int64_t>(values.size()) == shape.numel(), "tensor: ", values.size(),
              " values do not fill the shape ", shape);
  if (shapes_only) return empty(shape, DTypeOf<T>::value, device);
  Tensor t = empty(shape, DTypeOf<T>::value);
  if (!values.empty()) std::memcpy(t.raw(), values.data(), t.bytes());
  const Tensor there = t.to(device);
  // Indices are looked at on the host by whoever is given them: sorted, counted, checked.
  if (DTypeOf<T>::value == DType::i32 && device.is_cuda()) keep_host_copy(there.memory_, t.memory_);
  return there;
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

namespace {

Shape shape_of(const Nested& values) {
  std::vector<int64_t> sizes;
  for (const Nested* at = &values; at->is_list; at = &at->parts[0]) {
    sizes.push_back(static_cast<int64_t>(at->parts.size()));
    if (at->parts.empty()) break;
  }
  return Shape(sizes);
}

// Appends the numbers of a list that stands for `shape` from the axis on.
void flatten(const Nested& list, const Shape& shape, int axis, std::vector<double>& numbers) {
  if (axis == shape.rank()) {
    check_shape(!list.is_list, "tensor: the lists are not of one depth, expected ", shape);
    numbers.push_back(list.value);
    return;
  }
  check_shape(list.is_list, "tensor: the lists are not of one depth, expected ", shape);
  check_shape(static_cast<int64_t>(list.parts.size()) == shape[axis], "tensor: a list of ",
              list.parts.size(), ", the first one of its axis has ", shape[axis]);
  for (const Nested& part : list.parts) flatten(part, shape, axis + 1, numbers);
}

int32_t to_i32(const char* function, double x) {
  check_shape(x >= INT32_MIN && x <= INT32_MAX && x == std::floor(x), function, ": ", x,
              " is not a 32-bit integer");
  return static_cast<int32_t>(x);
}

}  // namespace

Tensor Tensor::of(const Nested& values, DType dtype, Device device) {
  const Shape shape = shape_of(values);
  std::vector<double> numbers;
  flatten(values, shape, 0, numbers);
  if (shapes_only) return empty(shape, dtype, device);
  if (dtype != DType::i32) return from(numbers, shape, device).to(dtype);
  std::vector<int32_t> whole;
  for (const double x : numbers) whole.push_back(to_i32("tensor", x));
  return from(whole, shape, device);
}

void Tensor::fail_data(DType asked) const {
  check_shape(defined(), "tensor: an undefined one has no elements; it never got a value");
  if (shape_only_) {
    throw InternalError("internal error: the numbers of a tensor that has a shape only");
  }
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
  const auto [first, last] = shape_.range("rows", 0, begin, end);
  Tensor view = *this;
  view.shape_ = shape_.with(0, last - first);
  const int64_t row_bytes = shape_.product(1, shape_.rank()) * size_of(dtype_);
  view.memory_ = {memory_, memory_.get() + first * row_bytes};
  return view;
}

Tensor Tensor::operator[](int64_t row) const {
  return rows(row, row == -1 ? kEnd : row + 1).reshape(shape_.without(0));
}

Tensor Tensor::clone() const {
  Tensor copy = empty_like(*this);
  copy.copy_from(*this);
  return copy;
}

Tensor Tensor::to(DType dtype) const {
  if (dtype == dtype_) return *this;
  if (dtype == DType::i32) {
    std::vector<int32_t> whole;
    for (const double x : to_vector()) whole.push_back(to_i32("to", std::trunc(x)));
    return from(whole, shape_, device_);
  }
  Tensor result = empty(shape_, dtype, device_);
  if (dtype_ == DType::i32) {
    KERNEL(result, convert(result.data<T>(), data<int32_t>(), numel()));
  } else if (dtype == DType::f64) {
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
  cuda::set_device(device_.is_cuda() ? device_.index : source.device_.index);
  if (!source.device_.is_cuda()) return cuda::upload(raw(), source.raw(), bytes());
  if (!device_.is_cuda()) {
    if (const std::byte* const kept = host_copy(source.memory_)) {
      std::memcpy(raw(), kept, bytes());
    } else {
      cuda::download(raw(), source.raw(), bytes());
    }
    return;
  }
  const bool overlap = raw() < source.raw() + bytes() && source.raw() < raw() + bytes();
  const Tensor from = overlap ? source.clone() : source;  // cudaMemcpy has no order
  if (device_ == source.device_) return cuda::copy(raw(), from.raw(), bytes());
  cuda::set_device(source.device_.index);  // each device has a stream of its own
  cuda::synchronize();
  cuda::set_device(device_.index);
  cuda::copy(raw(), from.raw(), bytes());
  cuda::synchronize();
}

uint32_t Tensor::version() const {
  return write_count(memory_);
}

void Tensor::mark_written() const {
  count_write(memory_);
}

void Tensor::fill(double value) const {
  if (dtype_ == DType::i32) (void)to_i32("fill", value);
  mark_written();
  KERNEL_OR_I32(*this, fill(data<T>(), static_cast<T>(value), numel()));
}

double Tensor::item() const {
  check_shape(defined(), "item: the tensor is undefined; it never got a value");
  check_shape(numel() == 1, "item: needs exactly one element, got the shape ", shape_);
  return to_vector()[0];
}

std::vector<double> Tensor::to_vector() const {
  check_shape(defined(), "to_vector: the tensor is undefined; it never got a value");
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

double Tensor::at(const std::vector<int64_t>& index) const {
  check_shape(static_cast<int>(index.size()) == shape_.rank(), "at: ", index.size(),
              " indices for the shape ", shape_);
  int64_t place = 0;
  for (int axis = 0; axis < shape_.rank(); ++axis) {
    const int64_t size = shape_[axis], i = index[axis] < 0 ? index[axis] + size : index[axis];
    check_shape(i >= 0 && i < size, "at: index ", index[axis], " of axis ", axis,
                " is outside of the shape ", shape_);
    place = place * size + i;
  }
  return reshape({numel()}).rows(place, place + 1).item();
}

namespace {

constexpr int64_t kEdge = 3;  // elements at each end of an axis that is not printed as a whole

// Prints the sub-array of the axes from `axis` on that begins with element `at`.
void print_axis(std::ostream& out, const Tensor& host, int axis, int64_t at, bool whole) {
  const Shape& shape = host.shape();
  if (axis == shape.rank()) {
    const double x = host.reshape({host.numel()}).rows(at, at + 1).item();
    out << (std::isnan(x) ? std::abs(x) : x);  // the sign of a NaN says nothing
    return;
  }
  const int64_t stride = shape.product(axis + 1, shape.rank()), size = shape[axis];
  out << '[';
  for (int64_t i = 0; i < size; ++i) {
    if (i) out << ", ";
    if (!whole && i == kEdge && size > 2 * kEdge) {
      out << "..., ";
      i = size - kEdge;
    }
    print_axis(out, host, axis + 1, at + i * stride, whole);
  }
  out << ']';
}

}  // namespace

std::string Tensor::str(int64_t max_elements) const {
  if (!defined()) return "undefined";
  std::ostringstream out;
  out << name_of(dtype_) << ' ' << shape_.str() << ' ';
  if (dtype_ == DType::i32) out.precision(10);  // all digits
  print_axis(out, to(Device{}), 0, 0, numel() > 0 && numel() <= max_elements);
  return out.str();
}

std::ostream& operator<<(std::ostream& out, const Tensor& t) {
  return out << t.str();
}

}  // namespace heed
