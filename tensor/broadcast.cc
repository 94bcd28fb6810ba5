#include "tensor/broadcast.h"

#include <algorithm>

#include "tensor/dispatch.h"

namespace heed {

Shape broadcast_shape(const char* op, const Shape& a, const Shape& b) {
  Shape shape = a.rank() >= b.rank() ? a : b;
  for (int i = 1; i <= std::min(a.rank(), b.rank()); ++i) {
    const int64_t m = a[-i], n = b[-i];
    check_shape(m == n || m == 1 || n == 1, op, ": shapes do not broadcast, ", a, " and ", b);
    if (shape[-i] == 1) shape = shape.with(-i, m == 1 ? n : m);
  }
  return shape;
}

Broadcast broadcast_map(const Shape& from, const Shape& to) {
  check_shape(from.rank() <= to.rank(), "expand: ", from, " does not broadcast to ", to);
  Broadcast map;
  std::fill(map.size, map.size + 6, int64_t{1});
  std::fill(map.stride, map.stride + 6, int64_t{0});
  int64_t stride = 1;
  int axis = 6;  // of the map, from the back; 6 while there is none
  for (int i = 1; i <= to.rank(); ++i) {
    const int64_t n = to[-i], m = i <= from.rank() ? from[-i] : 1;
    check_shape(m == n || m == 1, "expand: ", from, " does not broadcast to ", to);
    if (n == 1) continue;
    const bool repeated = m == 1;
    if (axis == 6 || repeated != (map.stride[axis] == 0))
      map.stride[--axis] = repeated ? 0 : stride;
    map.size[axis] *= n;
    stride *= m;
  }
  return map;
}

Tensor broadcast_to(const Tensor& x, const Shape& shape) {
  if (shape == x.shape()) return x;
  const Broadcast map = broadcast_map(x.shape(), shape);
  const Tensor y = Tensor::empty(shape, x.dtype(), x.device());
  KERNEL_OR_I32(y, expand_forward(y.data<T>(), x.data<T>(), map));
  return y;
}

}  // namespace heed
