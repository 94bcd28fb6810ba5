// Tensors that have a shape and no memory: they are counted and named, and nobody touches their
// numbers.
#include "tensor/shapes_only.h"

#include <gtest/gtest.h>

#include <functional>

#include "autograd/discrete.h"
#include "nn/layers.h"
#include "tensor/allocator.h"
#include "tensor/tensor.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

const std::string kNoNumbers = "internal error: the numbers of a tensor that has a shape only";

Tensor shape_only(const Shape& shape, DType dtype = DType::f32) {
  const ShapesOnly no_memory;
  return Tensor::empty(shape, dtype);
}

TEST(ShapesOnly, AModelIsCountedAndItsParametersHaveNames) {
  const int64_t before = memory_stats().bytes_in_use, width = 1 << 20;
  const ShapesOnly no_memory;
  const Linear layer(width, width);
  EXPECT_EQ(parameter_count(layer), width * width + width);
  EXPECT_EQ(parameters(layer)[0].name, "weight");
  EXPECT_EQ(parameters(layer)[0].var.shape(), (Shape{width, width}));
  EXPECT_EQ(memory_stats().bytes_in_use, before);
}

// A place along an axis is an i32.
TEST(ShapesOnly, AxesThatAreTooLongForPlaces) {
  const ShapesOnly no_memory;
  const int64_t n = int64_t{1} << 31;
  const std::string rule = ": 2147483648 elements along the axis, more than an i32 can number";
  EXPECT_EQ(error_of<ShapeError>([&] { (void)max(Var(shape_only({n}))); }), "max" + rule);
  EXPECT_EQ(error_of<ShapeError>([&] {
              (void)max(Var(shape_only({2, n / 2})), {0, 1});
            }),
            "max" + rule);
  EXPECT_EQ(error_of<ShapeError>([&] {
              (void)argmax(Var(shape_only({2, n})), 1);
            }),
            "argmax" + rule);
}

TEST(ShapesOnly, NumbersCannotBeTouched) {
  const Tensor x = shape_only({2, 3}), ids = shape_only({2}, DType::i32),
               real = Tensor::ones({2, 3});
  const std::function<void()> touches[] = {
      [&] { x.data<float>(); },
      [&] { ids.data<int32_t>(); },
      [&] { x.raw(); },
      [&] { x.fill(1); },
      [&] { ids.fill(1); },
      [&] { (void)x.clone(); },
      [&] { x.copy_from(real); },
      [&] { real.copy_from(x); },
      [&] {
        x.copy_from(shape_only({2, 3}));
      },
      [&] { (void)x.to(DType::f64); },
      [&] { x.to_vector(); },
      [&] { x.rows(1, 2).to_vector(); },
      [&] { x.reshape({6})[4].item(); },
      [&] { (void)x.str(); },
  };
  for (size_t i = 0; i < std::size(touches); ++i) {
    EXPECT_EQ(error_of<InternalError>(touches[i]), kNoNumbers) << i;
  }
  EXPECT_EQ(real.to_vector(), std::vector<double>(6, 1));
}

TEST(ShapesOnly, ValuesOfNewTensorsAreDropped) {
  const Device gpu{Device::Kind::cuda, 0};
  const ShapesOnly no_memory;
  const Tensor made[] = {Tensor::zeros({2, 2}),
                         Tensor::full({2, 2}, 3),
                         Tensor::full({2, 2}, 3, DType::i32),
                         Tensor::from({1.5, 2.5, 3.5, 4.5}, {2, 2}),
                         Tensor::of({{1, 2}, {3, 4}}),
                         Tensor::of({{1, 2}, {3, 4}}, DType::f64),
                         Tensor::of({{1, 2}, {3, 4}}, DType::i32)};
  for (const Tensor& x : made) {
    EXPECT_EQ(x.shape(), (Shape{2, 2}));
    EXPECT_EQ(error_of<InternalError>([&] { x.to_vector(); }), kNoNumbers);
  }
  EXPECT_EQ(Tensor::of({1, 2}).dtype(), DType::f32);
  EXPECT_EQ(Tensor::from({1.5f}, {1}, gpu).device(), gpu);
}

TEST(ShapesOnly, TensorsThatWereThereBeforeKeepTheirNumbers) {
  const Tensor x = Tensor::ones({2}), ids = Tensor::full({2}, 3, DType::i32);
  {
    const ShapesOnly no_memory;
    EXPECT_EQ(x[1].item(), 1);
    x.fill(2);
    EXPECT_EQ(error_of<InternalError>([&] { (void)x.clone(); }), kNoNumbers);
    EXPECT_EQ(error_of<InternalError>([&] { (void)x.to(DType::f64); }), kNoNumbers);
    ids.fill(4);
    const ShapesOnly again;
  }
  EXPECT_EQ(x.to_vector(), (std::vector<double>{2, 2}));
  EXPECT_EQ(ids.to_ints(), (std::vector<int32_t>{4, 4}));
  EXPECT_EQ(x.clone().to_vector(), x.to_vector());  // there is memory again
}

}  // namespace
}  // namespace heed
