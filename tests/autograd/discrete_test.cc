// What has no gradient: masks, positions, classes.
#include "autograd/discrete.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "autograd/ops.h"
#include "tensor/broadcast.h"
#include "tensor/parallel.h"
#include "tests/devices.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using Ints = std::vector<int32_t>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Discrete, ComparisonsOfEachElementType) {
  for (Device device : test_devices()) {
    const Tensor a = Tensor::from(std::vector<double>{1, 2, 3, kNan}, {4}).to(device);
    const Tensor b = Tensor::from(std::vector<double>{2, 2, 2, kNan}, {4}).to(device);
    for (DType dtype : {DType::f32, DType::f64}) {
      const Var x = a.to(dtype), y = b.to(dtype);
      EXPECT_EQ(equal(x, y).to_ints(), (Ints{0, 1, 0, 0}));
      EXPECT_EQ(not_equal(x, y).to_ints(), (Ints{1, 0, 1, 1}));
      EXPECT_EQ(less(x, y).to_ints(), (Ints{1, 0, 0, 0}));
      EXPECT_EQ(less_equal(x, y).to_ints(), (Ints{1, 1, 0, 0}));
      EXPECT_EQ(greater(x, y).to_ints(), (Ints{0, 0, 1, 0}));
      EXPECT_EQ(greater_equal(x, y).to_ints(), (Ints{0, 1, 1, 0}));
      EXPECT_EQ(equal(x, 2).to_ints(), (Ints{0, 1, 0, 0}));
      EXPECT_EQ(not_equal(x, 2).to_ints(), (Ints{1, 0, 1, 1}));
      EXPECT_EQ(less(x, 2).to_ints(), (Ints{1, 0, 0, 0}));
      EXPECT_EQ(less_equal(x, 2).to_ints(), (Ints{1, 1, 0, 0}));
      EXPECT_EQ(greater(x, 2).to_ints(), (Ints{0, 0, 1, 0}));
      EXPECT_EQ(greater_equal(x, 2).to_ints(), (Ints{0, 1, 1, 0}));
    }
    const Tensor ids = Tensor::from({3, 0, 3}, device);
    EXPECT_EQ(equal(ids, 3).to_ints(), (Ints{1, 0, 1}));
    EXPECT_EQ(less(ids, Tensor::from({4, 0, 2}, device)).to_ints(), (Ints{1, 0, 0}));
    EXPECT_EQ(equal(ids, 3).device(), device);
  }
}

TEST(Discrete, ComparisonsBroadcast) {
  for (Device device : test_devices()) {
    const Tensor column = Tensor::from(Ints{0, 1}, {2, 1}, device);
    const Tensor below = less_equal(arange(0, 3, 1, DType::i32, device), column);
    EXPECT_EQ(below.shape(), (Shape{2, 3}));
    EXPECT_EQ(below.to_ints(), (Ints{1, 0, 0, 1, 1, 0}));
  }
  EXPECT_EQ(error_of<ShapeError>([] { (void)equal(Tensor::zeros({2}), Tensor::zeros({3})); }),
            "equal: shapes do not broadcast, (2) and (3)");
  EXPECT_EQ(error_of<ShapeError>([] {
              (void)less(Tensor::zeros({2}), Tensor::from({1, 2}));
            }),
            "less: element types differ, f32 and i32");
  EXPECT_EQ(error_of<ShapeError>([] {
              (void)less(Tensor::from({1, 2}), 0.5);
            }),
            "less: 0.5 is not a 32-bit integer");
  EXPECT_EQ(greater(arange(INT32_MIN, INT32_MIN + 2), INT32_MIN).to_ints(), (Ints{0, 1}));
  EXPECT_EQ(error_of<ShapeError>([] { (void)less(Var(), 0.5); }),
            "less: an input is undefined; it never got a value");
}

TEST(Discrete, MasksBecomeNumbers) {
  for (Device device : test_devices()) {
    const Tensor logits = Tensor::from(std::vector<float>{1, 2, 5, 3, 0, 1}, {3, 2}, device);
    const Tensor targets = Tensor::from({1, 1, 1}, device);
    const Tensor hits = equal(argmax(logits, -1), targets);
    EXPECT_EQ(hits.to_ints(), (Ints{1, 0, 1}));
    EXPECT_NEAR(mean(hits.to(DType::f64)).value().item(), 2.0 / 3, 1e-15);
    EXPECT_EQ(hits.to(DType::f32).dtype(), DType::f32);
  }
}

TEST(Discrete, ArgmaxIsTheFirstMaximumOrNan) {
  for (Device device : test_devices()) {
    const Tensor x =
        Tensor::from(std::vector<double>{1, 7, 7, 0, 3, kNan, 9, 2, 2}, {3, 3}).to(device);
    EXPECT_EQ(argmax(x, 1).to_ints(), (Ints{1, 2, 0}));
    EXPECT_EQ(argmax(x, 0).to_ints(), (Ints{2, 0, 1}));
    EXPECT_EQ(argmax(x, 0).shape(), (Shape{3}));
  }
  EXPECT_EQ(error_of<ShapeError>([] {
              (void)argmax(Tensor::zeros({2, 0}), 1);
            }),
            "argmax: no elements along axis 1 of (2, 0)");
  EXPECT_EQ(error_of<ShapeError>([] { (void)argmax(Tensor::zeros({2}), 1); }),
            "argmax: axis 1 is outside of the shape (2)");
}

TEST(Discrete, OneHot) {
  for (Device device : test_devices()) {
    const Tensor y = one_hot(Tensor::from(Ints{2, 0, 1, 2}, {2, 2}, device), 3, DType::f64);
    EXPECT_EQ(y.shape(), (Shape{2, 2, 3}));
    EXPECT_EQ(y.to_vector(), (std::vector<double>{0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1}));
  }
  EXPECT_EQ(one_hot(Tensor::from(Ints{}), 3).shape(), (Shape{0, 3}));
  EXPECT_EQ(error_of<ShapeError>([] {
              (void)one_hot(Tensor::from({0, 3}), 3);
            }),
            "one_hot: id 3 is outside of [0, 3)");
  EXPECT_EQ(error_of<ShapeError>([] { (void)one_hot(Tensor::zeros({2}), 3); }),
            "one_hot: ids must be i32, got f32 (2)");
  EXPECT_EQ(error_of<ShapeError>([] {
              (void)one_hot(Tensor::from({0, 1}), 3, DType::i32);
            }),
            "one_hot: element type i32: expected f32 or f64");
}

TEST(Discrete, Arange) {
  EXPECT_EQ(arange(0, 4).to_ints(), (Ints{0, 1, 2, 3}));
  EXPECT_EQ(arange(5, 0, -2).to_ints(), (Ints{5, 3, 1}));
  EXPECT_EQ(arange(3, 3).shape(), Shape{0});
  EXPECT_EQ(arange(1, 3, 1, DType::f32).to_vector(), (std::vector<double>{1, 2}));
  EXPECT_EQ(error_of<ShapeError>([] { (void)arange(0, 3, 0); }), "arange: the step must not be 0");
  EXPECT_EQ(error_of<ShapeError>([] { (void)arange(int64_t{1} << 40, (int64_t{1} << 40) + 1); }),
            "arange: [1099511627776, 1099511627777) does not fit into i32");
}

// Every way in which axes are kept and repeated, against plain loops.
TEST(Discrete, BroadcastingOfIntegersInAllPatterns) {
  for (int pattern = 0; pattern < 32; ++pattern) {
    std::vector<int64_t> from, to;
    for (int axis = 0; axis < 5; ++axis) {
      to.push_back(axis + 1);
      from.push_back(pattern >> axis & 1 ? axis + 1 : 1);
    }
    const Shape of_x(from), of_y(to);
    std::vector<int32_t> want;
    for (int64_t at = 0; at < of_y.numel(); ++at) {
      int64_t rest = at, source = 0, stride = 1;
      for (int axis = 4; axis >= 0; rest /= to[axis], stride *= from[axis--]) {
        source += from[axis] == 1 ? 0 : rest % to[axis] * stride;
      }
      want.push_back(static_cast<int32_t>(source));
    }
    for (Device device : test_devices()) {
      const Tensor x = arange(0, of_x.numel(), 1, DType::i32, device).reshape(of_x);
      EXPECT_EQ(broadcast_to(x, of_y).to_ints(), want) << of_x.str() << " on " << device.str();
      // and back: each element gets the number of its repeats
      const Var v = Var::parameter(x.to(DType::f64));
      sum(expand(v, of_y)).backward();
      const auto repeats = static_cast<double>(of_y.numel()) / static_cast<double>(of_x.numel());
      EXPECT_EQ(v.grad().to_vector(), std::vector<double>(of_x.numel(), repeats));
    }
  }
}

}  // namespace
}  // namespace heed
