#include "tensor/tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <thread>

#include "tensor/allocator.h"
#include "tensor/compare.h"
#include "tests/devices.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

// ---- Shape

TEST(Shape, SizesAndNegativeAxes) {
  const Shape s{2, 3, 4};
  EXPECT_EQ(s.rank(), 3);
  EXPECT_EQ(s.numel(), 24);
  EXPECT_EQ(s[0], 2);
  EXPECT_EQ(s[-1], 4);
  EXPECT_EQ(s.back(), 4);
  EXPECT_EQ(s.normalize(-3), 0);
  EXPECT_EQ(s.with(-2, 7), (Shape{2, 7, 4}));
  EXPECT_EQ(s.without(1), (Shape{2, 4}));
  EXPECT_EQ(s.insert(0, 5), (Shape{5, 2, 3, 4}));
  EXPECT_EQ(s.insert(3, 5), (Shape{2, 3, 4, 5}));
  EXPECT_EQ(s.product(1, 3), 12);
  EXPECT_EQ(s.product(1, 1), 1);
  EXPECT_EQ(s.str(), "(2, 3, 4)");
  EXPECT_EQ(s.sizes(), (std::vector<int64_t>{2, 3, 4}));
}

TEST(Shape, AScalarHasNoAxesAndOneElement) {
  EXPECT_EQ(Shape{}.rank(), 0);
  EXPECT_EQ(Shape{}.numel(), 1);
  EXPECT_EQ(Shape{}.str(), "()");
  EXPECT_EQ((Shape{0}.numel()), 0);
  EXPECT_NE(Shape{}, Shape{1});
  EXPECT_NE((Shape{2, 3}), (Shape{3, 2}));
}

TEST(Shape, IsLoopedOverAndPrinted) {
  std::vector<int64_t> sizes;
  for (const int64_t size : Shape{2, 3, 4}) sizes.push_back(size);
  EXPECT_EQ(sizes, (std::vector<int64_t>{2, 3, 4}));
  std::ostringstream out;
  out << Shape{2, 3} << Shape{};
  EXPECT_EQ(out.str(), "(2, 3)()");
}

TEST(Shape, SaysWhatIsWrong) {
  const Shape s{2, 3};
  const std::string outside = " is outside of the shape (2, 3)";
  EXPECT_EQ(error_of<ShapeError>([&] { s[2]; }), "shape: axis 2" + outside);
  EXPECT_EQ(error_of<ShapeError>([&] { s[-3]; }), "shape: axis -3" + outside);
  EXPECT_EQ(error_of<ShapeError>([&] { s.normalize(2, "sum"); }), "sum: axis 2" + outside);
  EXPECT_EQ(error_of<ShapeError>([&] { s.insert(3, 1); }), "shape: axis 3" + outside);
  EXPECT_EQ(error_of<ShapeError>([&] { Shape{}.back(); }),
            "shape: axis -1 is outside of the shape ()");
  EXPECT_EQ(error_of<ShapeError>([&] {
              Shape({1, 1, 1, 1, 1, 1, 1});
            }),
            "shape: at most 6 axes, got 7");
  EXPECT_EQ(error_of<ShapeError>([&] { Shape({2, -1}); }), "shape: negative size -1");
}

// No product of sizes overflows, whether or not another axis is empty.
TEST(Shape, RefusesSizesThatOverflow) {
  const int64_t big = int64_t{1} << 40;
  const std::string message = "shape: more than 2^59 elements";
  EXPECT_EQ(error_of<ShapeError>([&] { Shape({big, big}); }), message);
  EXPECT_EQ(error_of<ShapeError>([&] { Shape({0, big, big}); }), message);
  EXPECT_EQ(error_of<ShapeError>([&] { Shape({big, big, 0}); }), message);
  EXPECT_EQ(error_of<ShapeError>([&] { Shape({(int64_t{1} << 59) + 1}); }), message);
  EXPECT_EQ((Shape{int64_t{1} << 59}).numel(), int64_t{1} << 59);
}

// ---- Tensor

TEST(Tensor, HoldsValues) {
  const Tensor t = Tensor::from(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(t.dtype(), DType::f32);
  EXPECT_EQ(t.bytes(), 24);
  EXPECT_EQ(t.to_vector(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Tensor::zeros({2}, DType::f64).to_vector(), (std::vector<double>{0, 0}));
  EXPECT_EQ(Tensor::full({2}, 1.5).to_vector(), (std::vector<double>{1.5, 1.5}));
  EXPECT_EQ(Tensor::full({2}, 7, DType::i32).to_ints(), (std::vector<int32_t>{7, 7}));
  EXPECT_EQ(Tensor::full({}, 3).item(), 3);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(t.raw()) % 64, 0u);
}

TEST(Tensor, OnesAndTheTypeOfAList) {
  const Tensor ones = Tensor::ones({2, 2});
  EXPECT_EQ(ones.to_vector(), std::vector<double>(4, 1));
  EXPECT_EQ(ones.dtype(), DType::f32);
  EXPECT_EQ(Tensor::from({1.5f, 2.5f}, {2}).dtype(), DType::f32);
  EXPECT_EQ(Tensor::from({1.5, 2.5}, {2}).dtype(), DType::f64);
  const Tensor ids = Tensor::from({1, 2, 3}, {3});
  EXPECT_EQ(ids.dtype(), DType::i32);
  EXPECT_EQ(ids.to_ints(), (std::vector<int32_t>{1, 2, 3}));
}

TEST(Tensor, ViewsShareMemory) {
  const Tensor t = Tensor::zeros({4, 3});
  const Tensor flat = t.reshape({12}), middle = t.rows(1, 3), row = t[2];
  EXPECT_EQ(middle.shape(), (Shape{2, 3}));
  EXPECT_EQ(row.shape(), Shape{3});
  flat.data<float>()[7] = 5;
  EXPECT_EQ(middle.to_vector()[4], 5);
  EXPECT_EQ(row.to_vector(), (std::vector<double>{0, 5, 0}));
  middle.fill(2);
  EXPECT_EQ(t.to_vector(), (std::vector<double>{0, 0, 0, 2, 2, 2, 2, 2, 2, 0, 0, 0}));
  EXPECT_EQ(t.rows(4, 4).numel(), 0);
}

TEST(Tensor, AViewKeepsTheMemoryAlive) {
  Tensor view;
  {
    const Tensor t = Tensor::full({3, 2}, 4);
    EXPECT_TRUE(t.shares_memory_uniquely());
    view = t[2];
    EXPECT_FALSE(t.shares_memory_uniquely());
  }
  EXPECT_TRUE(view.shares_memory_uniquely());
  EXPECT_EQ(view.to_vector(), (std::vector<double>{4, 4}));
}

TEST(Tensor, CopiesAndConversions) {
  const Tensor t = Tensor::from(std::vector<double>{1, 0.1}, {2});
  const Tensor copy = t.clone();
  t.fill(0);
  EXPECT_EQ(copy.to_vector(), (std::vector<double>{1, 0.1}));
  EXPECT_EQ(copy.to(DType::f64).raw(), copy.raw());
  EXPECT_EQ(copy.to(Device{}).raw(), copy.raw());
  EXPECT_EQ(copy.to(DType::f32).data<float>()[1], 0.1f);
  EXPECT_EQ(copy.to(DType::f32).to(DType::f64).data<double>()[1], double{0.1f});
  t.copy_from(copy);
  EXPECT_EQ(t.to_vector(), copy.to_vector());
}

TEST(Tensor, CopiesOverlappingRows) {
  for (const Device device : test_devices()) {
    std::vector<float> values(1000);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    const Tensor up = Tensor::from(values, {1000}, device), down = up.clone();
    up.rows(1, 1000).copy_from(up.rows(0, 999));
    down.rows(0, 999).copy_from(down.rows(1, 1000));
    for (int64_t i = 1; i < 999; ++i) {
      ASSERT_EQ(up.to_vector()[i], i - 1);
      ASSERT_EQ(down.to_vector()[i], i + 1);
      if (i > 20) i += 60;
    }
  }
}

TEST(Tensor, CountsItsChanges) {
  const Tensor t = Tensor::zeros({4}), other = Tensor::zeros({4}), view = t.rows(1, 3);
  const uint32_t before = t.version();
  t.fill(1);
  EXPECT_NE(t.version(), before);
  EXPECT_EQ(view.version(), t.version());
  const uint32_t filled = t.version();
  view.copy_from(other.rows(0, 2));
  EXPECT_NE(t.version(), filled);
  const uint32_t copied = t.version();
  view.mark_written();
  EXPECT_NE(t.version(), copied);
  EXPECT_EQ(other.version(), Tensor::zeros({4}).version());
  EXPECT_EQ(Tensor().version(), 0u);
}

TEST(Tensor, PrintsItself) {
  EXPECT_EQ(Tensor::from(std::vector<float>{1, 2, 3, 4.5}, {2, 2}).str(),
            "f32 (2, 2) [[1, 2], [3, 4.5]]");
  EXPECT_EQ(Tensor::full({}, 2, DType::i32).str(), "i32 () 2");
  EXPECT_EQ(Tensor::zeros({2, 0}, DType::f64).str(), "f64 (2, 0) [[], []]");
  EXPECT_EQ(Tensor::zeros({1'000'000'000, 0}).str(),
            "f32 (1000000000, 0) [[], [], [], ..., [], [], []]");
  EXPECT_EQ(Tensor().str(), "undefined");
  const double nan = std::nan("");
  EXPECT_EQ(Tensor::from(std::vector<double>{nan, -nan}, {2}).str(), "f64 (2) [nan, nan]");
  std::ostringstream out;
  out << Tensor::of({1, 2});
  EXPECT_EQ(out.str(), "f32 (2) [1, 2]");
}

TEST(Tensor, PrintsTheEndsOfLongAxes) {
  for (const Device device : test_devices()) {
    std::vector<int32_t> values(100);
    for (int i = 0; i < 100; ++i) values[i] = i;
    const Tensor line = Tensor::from(values, device);
    EXPECT_EQ(line.str(), "i32 (100) [0, 1, 2, ..., 97, 98, 99]");
    EXPECT_EQ(line.rows(0, 7).str(6), "i32 (7) [0, 1, 2, ..., 4, 5, 6]");
    EXPECT_EQ(line.rows(0, 7).str(7), "i32 (7) [0, 1, 2, 3, 4, 5, 6]");
    EXPECT_EQ(line.reshape({25, 2, 2}).str(),
              "i32 (25, 2, 2) [[[0, 1], [2, 3]], [[4, 5], [6, 7]], [[8, 9], [10, 11]], ..., "
              "[[88, 89], [90, 91]], [[92, 93], [94, 95]], [[96, 97], [98, 99]]]");
    EXPECT_EQ(line.reshape({2, 50}).str(),
              "i32 (2, 50) [[0, 1, 2, ..., 47, 48, 49], [50, 51, 52, ..., 97, 98, 99]]");
  }
}

TEST(Tensor, OfNestedLists) {
  const Tensor t = Tensor::of({{1, 2, 3}, {4, 5, 6.5}});
  EXPECT_EQ(t.str(), "f32 (2, 3) [[1, 2, 3], [4, 5, 6.5]]");
  EXPECT_EQ(Tensor::of({1, 2}, DType::f64).str(), "f64 (2) [1, 2]");
  EXPECT_EQ(Tensor::of({{-1}, {2147483647}}, DType::i32).str(), "i32 (2, 1) [[-1], [2147483647]]");
  EXPECT_EQ(Tensor::of(3).str(), "f32 () 3");
  EXPECT_EQ(Tensor::of({{{1}}}).shape(), (Shape{1, 1, 1}));
  EXPECT_EQ(Tensor::of({}).shape(), Shape{0});
  EXPECT_EQ(Tensor::of({{}, {}}).shape(), (Shape{2, 0}));
  EXPECT_EQ(error_of<ShapeError>([] {
              (void)Tensor::of({{1, 2}, {3}});
            }),
            "tensor: a list of 1, the first one of its axis has 2");
  EXPECT_EQ(error_of<ShapeError>([] {
              (void)Tensor::of({{1, 2}, 3});
            }),
            "tensor: the lists are not of one depth, expected (2, 2)");
  EXPECT_EQ(error_of<ShapeError>([] {
              (void)Tensor::of({1, {2, 3}});
            }),
            "tensor: the lists are not of one depth, expected (2)");
  for (const double x : {0.5, 2147483648.0, -2147483649.0, std::nan("")}) {
    EXPECT_TRUE(error_of<ShapeError>([&] {
                  (void)Tensor::of({x}, DType::i32);
                }).ends_with(" is not a 32-bit integer"));
    EXPECT_TRUE(error_of<ShapeError>([&] {
                  (void)Tensor::full({2}, x, DType::i32);
                }).ends_with(" is not a 32-bit integer"));
  }
}

TEST(Tensor, OneElementByItsIndices) {
  for (const Device device : test_devices()) {
    const Tensor t = Tensor::of({{1, 2, 3}, {4, 5, 6}}, DType::i32, device);
    EXPECT_EQ(t(0, 0), 1);
    EXPECT_EQ(t(0, 2), 3);
    EXPECT_EQ(t.at({1, 0}), 4);
    EXPECT_EQ(t[1](2), 6);
    EXPECT_EQ(Tensor::full({}, 2.5, DType::f64, device)(), 2.5);
    EXPECT_EQ(error_of<ShapeError>([&] { t(1); }), "at: 1 indices for the shape (2, 3)");
    EXPECT_EQ(error_of<ShapeError>([&] { t(0, 3); }),
              "at: index 3 of axis 1 is outside of the shape (2, 3)");
    EXPECT_EQ(t(-1, 0), 4);  // negative ones count from the end, as in rows() and []
    EXPECT_EQ(t(-2, -3), 1);
    EXPECT_EQ(error_of<ShapeError>([&] { t(-3, 0); }),
              "at: index -3 of axis 0 is outside of the shape (2, 3)");
  }
}

// ---- comparing

TEST(Compare, NamesTheWorstElement) {
  for (const Device device : test_devices()) {
    const Tensor want = Tensor::of({{1, 2, 3}, {4, 5, 6}});
    const Tensor got = Tensor::of({{1, 2.5, 3}, {4, 5, 5}}, DType::f32, device);
    EXPECT_EQ(mismatch(got, want),
              "2 of 6 elements differ, most at (1, 2): 5 and not 6 (off by 1)");
    EXPECT_EQ(mismatch(got, want, {.absolute = 0.75}),
              "1 of 6 elements differs, most at (1, 2): 5 and not 6 (off by 1)");
    EXPECT_EQ(mismatch(got, want, {.absolute = 1}), "");
    EXPECT_TRUE(allclose(got, want, {.relative = 0.25}));
    EXPECT_FALSE(allclose(got, want, {.relative = 0.2}));  // 2.5 and 2
    EXPECT_EQ(mismatch(want, want), "");
  }
  EXPECT_EQ(mismatch(Tensor::of(2), Tensor::of(3)),
            "1 of 1 element differs, most at (): 2 and not 3 (off by 1)");
}

TEST(Compare, IsRelativeToWhatIsWanted) {
  const Tensor want = Tensor::of({1000, -1000}, DType::f64);
  EXPECT_TRUE(allclose(Tensor::of({1000.009, -1000.009}, DType::f64), want));
  EXPECT_FALSE(allclose(Tensor::of({1000.011, -1000}, DType::f64), want));
  EXPECT_TRUE(allclose(Tensor::of(1e-9, DType::f64), Tensor::of(0, DType::f64)));
}

TEST(Compare, ShapesTypesAndWhatIsNoNumber) {
  const Tensor two = Tensor::of({1, 2});
  EXPECT_EQ(mismatch(two, Tensor::of({{1, 2}})), "f32 (2) and not f32 (1, 2)");
  EXPECT_EQ(mismatch(two, Tensor::of({1, 2}, DType::f64)), "f32 (2) and not f64 (2)");
  EXPECT_EQ(mismatch(Tensor(), two), "undefined where a value is expected");
  EXPECT_EQ(mismatch(two, Tensor()), "a value where nothing is expected");
  EXPECT_EQ(mismatch(Tensor(), Tensor()), "");
  EXPECT_EQ(mismatch(Tensor::zeros({0, 2}), Tensor::zeros({0, 2})), "");
  const double inf = INFINITY, nan = std::nan("");
  EXPECT_TRUE(allclose(Tensor::of({inf, -inf}), Tensor::of({inf, -inf})));
  EXPECT_FALSE(allclose(Tensor::of({inf}), Tensor::of({-inf})));
  EXPECT_FALSE(allclose(Tensor::of({1}), Tensor::of({inf})));
  EXPECT_FALSE(allclose(Tensor::of({inf}), Tensor::of({1})));
  EXPECT_EQ(mismatch(Tensor::of({inf, nan, 5}), Tensor::of({1, nan, 4})),
            "3 of 3 elements differ, most at (1): nan and not nan (off by nan)");
  EXPECT_TRUE(allclose(Tensor::of({nan, 1}), Tensor::of({nan, 1}), {.nan_equal = true}));
  EXPECT_FALSE(allclose(Tensor::of({nan}), Tensor::of({1}), {.nan_equal = true}));
  EXPECT_TRUE(allclose(Tensor::of({7}, DType::i32), Tensor::of({7}, DType::i32)));
}

TEST(Tensor, CountsRowsFromTheEnd) {
  const Tensor t = Tensor::of({{1, 2}, {3, 4}, {5, 6}});
  EXPECT_EQ(t[-1].to_vector(), (std::vector<double>{5, 6}));
  EXPECT_EQ(t[-3].to_vector(), (std::vector<double>{1, 2}));
  EXPECT_EQ(t.rows(-2, kEnd).to_vector(), (std::vector<double>{3, 4, 5, 6}));
  EXPECT_EQ(t.rows(0, -1).to_vector(), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(t.rows(-1, -1).shape(), (Shape{0, 2}));
  EXPECT_THROW((void)t[-4], ShapeError);
}

TEST(Tensor, ConvertsToWholeNumbersByCuttingFractionsOff) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor t = Tensor::of({{2.9, -2.9}, {0, -2147483648.0}}, dtype).to(DType::i32);
    EXPECT_EQ(t.to_ints(), (std::vector<int32_t>{2, -2, 0, INT32_MIN}));
    EXPECT_EQ(t.shape(), (Shape{2, 2}));
  }
}

TEST(Tensor, SaysWhatIsWrong) {
  const Tensor t = Tensor::zeros({2, 3}), whole = Tensor::zeros({2}, DType::i32);
  EXPECT_EQ(error_of<ShapeError>([&] { t.data<double>(); }),
            "tensor: element type is f32, expected f64");
  EXPECT_EQ(error_of<ShapeError>([] { Tensor().data<float>(); }),
            "tensor: an undefined one has no elements; it never got a value");
  EXPECT_EQ(error_of<ShapeError>([&] { (void)t.reshape({7}); }),
            "reshape: (2, 3) has 6 elements, (7) has 7");
  EXPECT_EQ(error_of<ShapeError>([&] { (void)t.rows(1, 3); }),
            "rows: range [1, 3) is outside of axis 0 of (2, 3)");
  EXPECT_EQ(error_of<ShapeError>([&] { (void)t.rows(2, 1); }),
            "rows: range [2, 1) is outside of axis 0 of (2, 3)");
  EXPECT_EQ(error_of<ShapeError>([&] { (void)t[2]; }),
            "rows: range [2, 3) is outside of axis 0 of (2, 3)");
  EXPECT_EQ(error_of<ShapeError>([&] { (void)Tensor::zeros({})[0]; }),
            "rows: a scalar has no rows");
  EXPECT_EQ(error_of<ShapeError>([&] { t.item(); }),
            "item: needs exactly one element, got the shape (2, 3)");
  EXPECT_EQ(error_of<ShapeError>([] { (void)Tensor().item(); }),
            "item: the tensor is undefined; it never got a value");
  EXPECT_EQ(error_of<ShapeError>([] { (void)Tensor().to_vector(); }),
            "to_vector: the tensor is undefined; it never got a value");
  EXPECT_TRUE(Tensor::zeros({0}).to_vector().empty());
  EXPECT_EQ(error_of<ShapeError>([&] { (void)Tensor::of({NAN}).to(DType::i32); }),
            "to: nan is not a 32-bit integer");
  EXPECT_EQ(
      error_of<ShapeError>([&] { (void)Tensor::of({-2147483649.0}, DType::f64).to(DType::i32); }),
      "to: -2147483649 is not a 32-bit integer");
  EXPECT_EQ(error_of<ShapeError>([&] { t.copy_from(Tensor::zeros({3})); }),
            "copy: f32 (3) does not fit into f32 (2, 3)");
  EXPECT_EQ(error_of<ShapeError>([&] {
              t.copy_from(Tensor::zeros({2, 3}, DType::f64));
            }),
            "copy: f64 (2, 3) does not fit into f32 (2, 3)");
  EXPECT_EQ(error_of<ShapeError>([&] { (void)Tensor::from(std::vector<float>{1}, {2}); }),
            "tensor: 1 values do not fill the shape (2)");
}

TEST(Device, ParsesItsNames) {
  EXPECT_EQ(Device::parse("cpu"), Device{});
  EXPECT_EQ(Device{}.str(), "cpu");
  EXPECT_EQ((Device{Device::Kind::cuda, 1}.str()), "cuda:1");
  EXPECT_EQ(error_of<UsageError>([] { Device::parse("gpu"); }),
            "device: expected cpu or cuda[:k], got 'gpu'");
}

}  // namespace
}  // namespace heed
