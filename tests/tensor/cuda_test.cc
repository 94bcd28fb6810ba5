// Tensors and kernels on a CUDA device, or its emulation; skipped where there is neither.
// The op table compares all ops; here is what it does not reach.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "autograd/ops.h"
#include "autograd/row_groups.h"
#include "tensor/allocator.h"
#include "tensor/async_read.h"
#include "tensor/kernels/elementwise.h"
#include "tensor/kernels/matmul.h"
#include "tensor/kernels/random.h"
#include "tensor/kernels/reduce.h"
#include "tensor/kernels/update.h"
#include "tensor/matrix.h"
#include "tests/devices.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

class Cuda : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_cuda()) GTEST_SKIP() << kNoCuda;
  }
};

Tensor random_tensor(Shape shape, DType dtype, uint64_t seed) {
  Rng rng(seed, "cuda_test");
  std::vector<double> values(shape.numel());
  for (double& v : values) v = static_cast<float>(2 * rng.uniform() - 1);
  return Tensor::from(values, shape).to(dtype);
}

double largest_difference(const Tensor& a, const Tensor& b) {
  const std::vector<double> x = a.to_vector(), y = b.to_vector();
  EXPECT_EQ(x.size(), y.size());
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double d = std::abs(x[i] - y[i]);
    worst = std::isnan(d) ? INFINITY : std::max(worst, d);
  }
  return worst;
}

TEST_F(Cuda, DevicesByName) {
  EXPECT_EQ(Device::parse("cuda"), kCuda);
  EXPECT_EQ(Device::parse("cuda:0"), kCuda);
  EXPECT_FALSE(cuda::device_name(0).empty());
  for (const char* wrong : {"cuda:99", "cuda:99999999999999999999"}) {
    const std::string text = error_of<DeviceError>([&] { Device::parse(wrong); });
    EXPECT_NE(text.find("CUDA device"), std::string::npos) << text;
  }
  EXPECT_THROW(Device::parse("cuda:-1"), UsageError);
}

TEST_F(Cuda, TensorsTravel) {
  for (DType dtype : {DType::f32, DType::f64}) {
    const Tensor x = random_tensor({3, 5}, dtype, 1), y = x.to(kCuda);
    EXPECT_EQ(y.device(), kCuda);
    EXPECT_EQ(y.to(Device{}).to_vector(), x.to_vector());
    EXPECT_EQ(y[1].to_vector(), x[1].to_vector());
    EXPECT_EQ(y.clone().rows(1, 3).to_vector(), x.rows(1, 3).to_vector());
    EXPECT_EQ(y.str(), x.str());
  }
  EXPECT_EQ(Tensor::from({1, 2, 3}, kCuda).to_ints(), (std::vector<int32_t>{1, 2, 3}));
  EXPECT_EQ(Tensor::full({3}, 7, DType::i32, kCuda).to_ints(), (std::vector<int32_t>{7, 7, 7}));
  EXPECT_EQ(Tensor::full({2}, 0.5, DType::f32, kCuda).to_vector(), (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(Tensor::zeros({2}, DType::f64, kCuda).to_vector(), (std::vector<double>{0, 0}));
  EXPECT_EQ(Tensor::zeros({0}, DType::f64, kCuda).to_vector(), std::vector<double>{});
}

// A kernel never gets a pointer of another device: each op that takes several tensors asks first.
TEST_F(Cuda, TensorsOnTwoDevicesAreAnError) {
  const Var here(random_tensor({2, 3}, DType::f32, 1)), there(here.value().to(kCuda));
  const Tensor ids = Tensor::from({0, 1}), mask = Tensor::zeros({2, 3}, DType::i32);
  const Segments segments({1, 1});
  const Var scores = Var(Tensor::zeros({2}, DType::f32, kCuda));
  const std::vector<std::pair<const char*, std::function<void()>>> calls = {
      {"add", [&] { (void)add(here, there); }},
      {"matmul", [&] { (void)matmul(here, transpose(there, 0, 1)); }},
      {"affine", [&] { (void)affine(there, here, {}); }},
      {"concat",
       [&] {
         (void)concat({here, there}, 0);
       }},
      {"where", [&] { (void)where(mask, there, there); }},
      {"masked_fill", [&] { (void)masked_fill(there, mask, 1); }},
      {"gather_rows", [&] { (void)gather_rows(there, ids); }},
      {"scatter_rows", [&] { (void)scatter_rows(there, ids, 2); }},
      {"cross_entropy", [&] { (void)cross_entropy(there, ids); }},
      {"linear_cross_entropy", [&] { (void)linear_cross_entropy(there, there, ids); }},
      {"segment_scores", [&] { (void)segment_scores(there, there, segments); }},
      {"segment_softmax", [&] { (void)segment_softmax(scores, segments); }},
      {"segment_context", [&] { (void)segment_context(scores, there, segments); }}};
  for (const auto& [op, call] : calls) {
    const std::string text = error_of<DeviceError>(call);
    EXPECT_EQ(text.rfind(std::string(op) + ": tensors on ", 0), 0u) << op << ": " << text;
    EXPECT_NE(text.find("; move one with to()"), std::string::npos) << text;
  }
}

TEST_F(Cuda, SaysThatThereIsNoMemory) {
  const MemoryStats before = memory_stats(kCuda);
  const std::string text =
      error_of<DeviceError>([] { (void)Tensor::empty({int64_t{1} << 45}, DType::f64, kCuda); });
  EXPECT_EQ(text.find("out of memory on cuda:0: asked for 268435456 MiB"), 0u) << text;
  EXPECT_EQ(memory_stats(kCuda).bytes_in_use, before.bytes_in_use);
  EXPECT_EQ(Tensor::full({3}, 1, DType::f32, kCuda).to_vector()[2], 1);  // and life goes on
}

// The same bits, but for the normals of a GPU: values up to 20, and each of the logarithm, the root
// and the cosine may be off by 2 units in the last place.
template <class T> void compare_random(int64_t n) {
  const RandomKey key{3, purpose_id("cuda_test"), 5};
  const Tensor a = Tensor::empty({n}, DTypeOf<T>::value), b = a.to(kCuda);
  cpu::random_uniform<T>(a.data<T>(), T(-0.1), T(0.3), key, n);
  gpu::random_uniform<T>(b.data<T>(), T(-0.1), T(0.3), key, n);
  EXPECT_EQ(b.to_vector(), a.to_vector());
  const Tensor mask = Tensor::full({n}, 1, DTypeOf<T>::value), mask2 = mask.to(kCuda);
  cpu::dropout<T>({mask.data<T>(), Write::add}, a.data<T>(), T(0.4), key, n);
  gpu::dropout<T>({mask2.data<T>(), Write::add}, b.data<T>(), T(0.4), key, n);
  EXPECT_LE(largest_difference(mask2, mask), 1e-7);
  cpu::random_normal<T>(a.data<T>(), T(2), T(3), key, n);
  gpu::random_normal<T>(b.data<T>(), T(2), T(3), key, n);
  EXPECT_LE(largest_difference(b, a), 20 * 8 * std::numeric_limits<T>::epsilon());
}

TEST_F(Cuda, RandomNumbersAreThoseOfTheCpu) {
  for (int64_t n : {0, 1, 2, 3, 4, 5, 1023, 4096 * 3 + 1}) {
    compare_random<float>(n);
    compare_random<double>(n);
  }
}

// Many rows for one place, more than the threads below each other, and one place that gets none.
TEST_F(Cuda, RowsOfEqualIndicesAreAddedUp) {
  const int64_t n = 200, width = 130, rows = 7;
  std::vector<int32_t> ids(n);
  Rng rng(1, "ids");
  for (int32_t& id : ids) id = static_cast<int32_t>(rng.below(rows - 1));
  const Tensor x = random_tensor({n, width}, DType::f64, 1), x2 = x.to(kCuda);
  const Tensor y = random_tensor({rows, width}, DType::f64, 2), y2 = y.to(kCuda);
  std::vector<double> expected = y.to_vector();
  for (int64_t i = 0; i < n * width; ++i) {
    expected[ids[i / width] * width + i % width] += x.to_vector()[i];
  }
  const RowGroups here(ids, Device{}), there(ids, kCuda);
  here.add(y, x);
  there.add(y2, x2);
  EXPECT_EQ(y.to_vector(), expected);  // in their order
  EXPECT_LE(largest_difference(y2, y), 1e-13);
  EXPECT_LE(largest_difference(there.sums(x2), here.sums(x)), 1e-13);
  EXPECT_EQ(there.ids().to_ints(), (std::vector<int32_t>{0, 1, 2, 3, 4, 5}));
}

cuda::Counts since(const cuda::Counts& before) {
  const cuda::Counts now = cuda::counts();
  return {now.launches - before.launches, now.host_waits - before.host_waits,
          now.copies - before.copies, now.copied_bytes - before.copied_bytes};
}

// Indices stay known on the host, until something changes them; other values do not.
TEST_F(Cuda, IndicesAreReadWithoutWaiting) {
  const std::vector<int32_t> values{5, 1, 4, 1};
  const Tensor ids = Tensor::from(values, kCuda);
  const cuda::Counts before = cuda::counts();
  EXPECT_EQ(ids.to_ints(), values);
  EXPECT_EQ(ids.rows(1, 3).to_ints(), (std::vector<int32_t>{1, 4}));
  EXPECT_EQ(ids.reshape({2, 2})[1].to_ints(), (std::vector<int32_t>{4, 1}));
  EXPECT_EQ(since(before).host_waits, 0);
  EXPECT_EQ(since(before).copies, 0);
  ids.rows(0, 1).fill(7);
  EXPECT_EQ(ids.to_ints(), (std::vector<int32_t>{7, 1, 4, 1}));
  EXPECT_EQ(since(before).host_waits, 1);
  const Tensor other = Tensor::from({1, 2, 3, 4}, kCuda);
  other.copy_from(ids);
  EXPECT_EQ(other.to_ints(), (std::vector<int32_t>{7, 1, 4, 1}));
}

TEST_F(Cuda, AsyncReadGivesTheValuesOfItsTime) {
  for (const Device device : {Device{}, kCuda}) {
    const Tensor a = Tensor::full({2}, 0.5, DType::f32, device);
    const Tensor b = Tensor::full({}, 3, DType::f64, device);
    const cuda::Counts before = cuda::counts();
    AsyncRead read({a, b}), none, dropped({a});
    a.fill(8);
    EXPECT_EQ(since(before).host_waits, 0);
    EXPECT_EQ(read.get(), (std::vector<double>{0.5, 0.5, 3}));
    EXPECT_EQ(since(before).host_waits, device.is_cuda() ? 1 : 0);
    EXPECT_EQ(read.get(), std::vector<double>{});  // once
    EXPECT_EQ(none.get(), std::vector<double>{});
  }
  EXPECT_EQ(error_of<ShapeError>([] { AsyncRead({Tensor::zeros({33})}); }),
            "AsyncRead: at most 32 elements, got 33");
  EXPECT_EQ(error_of<DeviceError>([] {
              AsyncRead({Tensor::ones({}), Tensor::ones({}).to(kCuda)});
            }),
            "AsyncRead: tensors on cpu and cuda:0");
}

// More arrays than a launch reads, empty ones and such of several pieces among them.
TEST_F(Cuda, SumsOfSquaresOfManyArrays) {
  std::vector<Tensor> arrays;
  std::vector<Values<float>> list;
  double expected = 0;
  for (int64_t i = 0; i < 150; ++i) {
    const Tensor x = random_tensor({i == 70 ? 40'000 : i % 5 * 31}, DType::f32, i);
    for (double v : x.to_vector()) expected += v * v;
    arrays.push_back(x.to(kCuda));
    list.push_back({arrays.back().data<float>(), x.numel()});
  }
  const Tensor total = Tensor::empty({1}, DType::f64, kCuda);
  gpu::sum_squares<float>(total.data<double>(), list.data(), std::ssize(list));
  EXPECT_NEAR(total.item(), expected, 1e-9 * expected);
  gpu::sum_squares<float>(total.data<double>(), list.data(), 0);
  EXPECT_EQ(total.item(), 0);
}

struct GemmCase {
  int64_t m, n, k;
  bool ta, tb;
  Write write;
};

// Both backends on matrices whose rows are longer than they need to be, all three at once.
template <class T> void compare_gemm(const GemmCase& p, double tolerance) {
  const DType dtype = DTypeOf<T>::value;
  const bool ta = p.ta, tb = p.tb;
  const Tensor a = random_tensor({ta ? p.k : p.m, (ta ? p.m : p.k) + 1}, dtype, 1);
  const Tensor b = random_tensor({tb ? p.n : p.k, (tb ? p.k : p.n) + 2}, dtype, 2);
  const Tensor c = random_tensor({p.m, p.n + 3}, dtype, 3);
  const Tensor a2 = a.to(kCuda), b2 = b.to(kCuda), c2 = c.to(kCuda);
  cpu::gemm<T>({c.data<T>(), p.m, p.n, p.n + 3}, {a.data<T>(), p.m, p.k, a.shape()[1], ta},
               {b.data<T>(), p.k, p.n, b.shape()[1], tb}, p.write);
  gpu::gemm<T>({c2.data<T>(), p.m, p.n, p.n + 3}, {a2.data<T>(), p.m, p.k, a.shape()[1], ta},
               {b2.data<T>(), p.k, p.n, b.shape()[1], tb}, p.write);
  EXPECT_LE(largest_difference(c2, c), tolerance)
      << p.m << " x " << p.n << " x " << p.k << (ta ? " A^T" : "") << (tb ? " B^T" : "");
}

TEST_F(Cuda, GemmOfAllShapesAndTransposes) {
  for (bool ta : {false, true}) {
    for (bool tb : {false, true}) {
      for (Write write : {Write::assign, Write::add}) {
        for (int64_t m : {0, 1, 5}) {
          for (int64_t n : {0, 1, 7}) {
            for (int64_t k : {0, 1, 9}) {
              compare_gemm<double>({m, n, k, ta, tb, write}, 1e-13);
              compare_gemm<float>({m, n, k, ta, tb, write}, 1e-5);
            }
          }
        }
        compare_gemm<float>({65, 130, 257, ta, tb, write}, 1e-4);
      }
    }
  }
}

TEST_F(Cuda, PackedGemmIsGemm) {
  const int64_t m = 3, n = 10, k = 7;
  for (bool tb : {false, true}) {
    const Tensor a = random_tensor({m, k}, DType::f64, 1).to(kCuda);
    const Tensor b = random_tensor({tb ? n : k, 12}, DType::f64, 2).to(kCuda);
    const Tensor c = Tensor::empty({m, n}, DType::f64, kCuda), d = empty_like(c);
    int64_t elements = 0;
    gpu::packed_size<double>(&elements, k, n);
    const Tensor packed = Tensor::empty({elements}, DType::f64, kCuda);
    const Mat<const double> left{a.data<double>(), m, k, k}, right{b.data<double>(), k, n, 12, tb};
    gpu::pack_matrix<double>(packed.data<double>(), right);
    gpu::gemm_packed<double>({c.data<double>(), m, n, n}, left, packed.data<double>(),
                             Write::assign);
    gpu::gemm<double>({d.data<double>(), m, n, n}, left, right, Write::assign);
    EXPECT_LE(largest_difference(c, d), 1e-14);
  }
}

// What lower precision costs: more than the one before, and no more than its bound.
TEST_F(Cuda, MatmulPrecisions) {
  const int64_t n = 64;
  const Tensor a = random_tensor({n, n}, DType::f32, 1), b = random_tensor({n, n}, DType::f32, 2);
  const Tensor c = empty_like(a), a2 = a.to(kCuda), b2 = b.to(kCuda), c2 = empty_like(a2);
  gemm(c, a, b);
  const auto error_with = [&](Matmul precision) {
    set_matmul(precision);
    gemm(c2, a2, b2);
    set_matmul(Matmul::f32);
    return largest_difference(c2, c);
  };
  const double f32 = error_with(Matmul::f32), tf32 = error_with(Matmul::tf32),
               bf16 = error_with(Matmul::bf16);
  EXPECT_LT(f32, 1e-5);
  EXPECT_LT(tf32, 1e-2);
  EXPECT_LT(bf16, 8e-2);
#ifdef HEED_CUDA_EMULATED  // a GPU may have no tensor cores for them
  EXPECT_GT(tf32, 1e-4);
  EXPECT_GT(bf16, 4 * tf32);
#endif
}

// More than one piece of a row, and more elements than the grid has threads.
TEST_F(Cuda, SumsOfLongRows) {
  for (int64_t n : {1, 31, 8192, 8193, 100'003}) {
    const Tensor x = random_tensor({3, n}, DType::f64, 1), x2 = x.to(kCuda);
    const Tensor y = Tensor::empty({3}, DType::f64), y2 = y.to(kCuda);
    cpu::sum_forward<double>(y.data<double>(), x.data<double>(), 0.5, 3, n, 1);
    gpu::sum_forward<double>(y2.data<double>(), x2.data<double>(), 0.5, 3, n, 1);
    EXPECT_LE(largest_difference(y2, y), 1e-12) << n;
    const std::vector<double> once = y2.to_vector();
    gpu::sum_forward<double>(y2.data<double>(), x2.data<double>(), 0.5, 3, n, 1);
    EXPECT_EQ(y2.to_vector(), once) << "not the same bits again";
  }
}

TEST_F(Cuda, MaxPassesNanOn) {
  const std::vector<double> values{3, 1, NAN, NAN, 7, 2, 1, NAN};
  const Tensor x = Tensor::from(values, {2, 4}, kCuda), y = Tensor::empty({2}, DType::f64, kCuda);
  const Tensor where = Tensor::empty({2}, DType::i32, kCuda);
  gpu::max_forward<double>(y.data<double>(), where.data<int32_t>(), x.data<double>(), 2, 4, 1);
  EXPECT_EQ(where.to_ints(), (std::vector<int32_t>{2, 3}));
  EXPECT_TRUE(std::isnan(y.to_vector()[0]) && std::isnan(y.to_vector()[1]));
}

// Long rows have a block each: the first of equal ones, and a NaN before all numbers.
TEST_F(Cuda, MaxOfLongRows) {
  constexpr int64_t kRows = 4, kCols = 300;
  std::vector<double> values = random_tensor({kRows, kCols}, DType::f64, 1).to_vector();
  values[299] = values[37] = 2;
  values[kCols + 260] = NAN, values[kCols + 261] = NAN;
  for (int64_t i = 0; i < kCols; ++i) values[2 * kCols + i] = -INFINITY;
  const Tensor x = Tensor::from(values, {kRows, kCols}), x2 = x.to(kCuda);
  const Tensor y = Tensor::empty({kRows}, DType::f64), y2 = y.to(kCuda);
  const Tensor at = Tensor::empty({kRows}, DType::i32), at2 = at.to(kCuda);
  cpu::max_forward<double>(y.data<double>(), at.data<int32_t>(), x.data<double>(), kRows, kCols, 1);
  gpu::max_forward<double>(y2.data<double>(), at2.data<int32_t>(), x2.data<double>(), kRows, kCols,
                           1);
  EXPECT_EQ(at2.to_ints(), at.to_ints());
  EXPECT_EQ(at2.to_ints()[0], 37);
  EXPECT_EQ(at2.to_ints()[1], 260);
  EXPECT_EQ(at2.to_ints()[2], 0);
  EXPECT_EQ(y2[3].item(), y[3].item());
}

TEST_F(Cuda, GridsAreSmallerThanTensors) {
  const int64_t n = 4096 * 256 + 3;
  const Tensor x = Tensor::full({n}, 2, DType::f32, kCuda);
  gpu::scale<float>({x.data<float>(), Write::add}, x.data<float>(), 0.5f, n);
  const std::vector<double> got = x.to_vector();
  EXPECT_EQ(got, std::vector<double>(n, 3));
}

// As often on a device as on the CPU: 2 m n k, of each matrix of a batch.
TEST_F(Cuda, ProductsAreCountedOnce) {
  const auto flops = [](Device device, bool batched) {
    const Tensor a = random_tensor({3, 4, 5}, DType::f32, 1).to(device),
                 b = random_tensor({3, 5, 6}, DType::f32, 2).to(device),
                 c = Tensor::empty({3, 4, 6}, DType::f32, device);
    const double before = cpu::product_flops();
    if (batched)
      gemm(Matrix::each(c), Matrix::each(a), Matrix::each(b), Write::assign);
    else
      gemm(c[1], a[1], b[1], Write::assign);
    return cpu::product_flops() - before;
  };
  for (const Device device : {Device{}, kCuda}) {
    EXPECT_EQ(flops(device, false), 2 * 4 * 5 * 6) << text(device);
    EXPECT_EQ(flops(device, true), 3 * 2 * 4 * 5 * 6) << text(device);
  }
}

}  // namespace
}  // namespace heed
