// lstm() with all steps of a layer in one kernel against the two kernels a step, on a CUDA device:
// what is too large or too odd for the op table.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/recurrent_layer.h"
#include "tests/devices.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

struct Case {
  std::vector<int32_t> lengths;
  int64_t hidden;
  DType dtype = DType::f32;
};

// `count` lengths from `longest` down to about 1.
std::vector<int32_t> falling(int32_t count, int32_t longest) {
  std::vector<int32_t> lengths;
  for (int32_t i = 0; i < count; ++i) lengths.push_back(longest - i * longest / (count + 1));
  return lengths;
}

// No batch, part of the layer or column is a multiple of anything in the kernel. 16 units a block
// are what the weights of 210 in f64 leave room for, 8 those of 420.
std::vector<Case> cases() {
  return {{{3, 3, 2}, 1},
          {{5, 3, 3, 1}, 5, DType::f64},
          {falling(70, 4), 33},
          {falling(17, 2), 210, DType::f64},
          {falling(3, 3), 420, DType::f64},
          {{130, 2}, 3}};
}

Tensor random_tensor(Shape shape, const Case& of, std::string_view name, double size) {
  Rng rng(1, name);
  std::vector<double> values(shape.numel());
  for (double& v : values) v = size * (2 * rng.uniform() - 1);
  return Tensor::from(values, shape).to(of.dtype).to(kCuda);
}

// Which outputs have a gradient, and which inputs there are.
struct Wiring {
  bool of_y, of_states, states;
};

// Outputs, then the gradients of all inputs.
std::vector<Tensor> run(const Case& of, const Wiring& wiring) {
  const Packing p(of.lengths);
  const int64_t h = of.hidden;
  const Shape state{p.batch(), h};
  std::vector<Var> in = {
      Var::parameter(random_tensor({p.rows(), 4 * h}, of, "gates", 1)),
      Var::parameter(random_tensor({4 * h, h}, of, "w", 1 / std::sqrt(static_cast<double>(h))))};
  if (wiring.states) {
    in.push_back(Var::parameter(random_tensor(state, of, "h0", 1)));
    in.push_back(Var::parameter(random_tensor(state, of, "c0", 1)));
  }
  const LstmOutput out =
      wiring.states ? lstm(p, in[0], in[1], in[2], in[3]) : lstm(p, in[0], in[1]);
  const auto weighted = [&](const Var& x, std::string_view name) {
    return sum(x * Var(random_tensor(x.shape(), of, name, 1)));
  };
  Var loss;
  if (wiring.of_y) loss = weighted(out.y, "dy");
  if (wiring.of_states) {
    const Var states = weighted(out.h, "dh") + weighted(out.c, "dc");
    loss = loss.defined() ? loss + states : states;
  }
  loss.backward();
  std::vector<Tensor> all = {out.y.value(), out.h.value(), out.c.value()};
  for (const Var& x : in) all.push_back(x.grad());
  return all;
}

// As a part of the largest value, or of 1.
double difference(const Tensor& a, const Tensor& b) {
  const std::vector<double> x = a.to_vector(), y = b.to_vector();
  EXPECT_EQ(x.size(), y.size());
  double worst = 0, largest = 1;
  for (size_t i = 0; i < x.size(); ++i) {
    const double d = std::abs(x[i] - y[i]);
    worst = std::isnan(d) ? INFINITY : std::max(worst, d);
    largest = std::max(largest, std::abs(y[i]));
  }
  return worst / largest;
}

class LstmLayer : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_cuda()) GTEST_SKIP() << kNoCuda;
  }
  static bool fits(const Tensor& like, int64_t batch, int64_t hidden) {
    bool fits = false;
    KERNEL(like, lstm_layer_fits<T>(&fits, batch, hidden));
    return fits;
  }
};

TEST_F(LstmLayer, SameNumbersAsStepByStepAndTheSameBitsAgain) {
  for (const Case& of : cases()) {
    // the emulation is slow with large ones
    for (const Wiring& wiring :
         {Wiring{true, true, true}, {true, false, false}, {false, true, true}}) {
      if (of.hidden > 100 && !(wiring.of_y && wiring.of_states)) continue;
      SCOPED_TRACE(text("hidden ", of.hidden, ", batch ", of.lengths.size(), ", wiring ",
                        wiring.of_y, wiring.of_states, wiring.states));
      const std::vector<Tensor> expected = run(of, wiring);
      const PersistentLstm on;
      const std::vector<Tensor> got = run(of, wiring), again = run(of, wiring);
      for (size_t i = 0; i < expected.size(); ++i) {
        EXPECT_LT(difference(got[i], expected[i]), of.dtype == DType::f64 ? 1e-13 : 2e-6) << i;
        EXPECT_EQ(got[i].to_vector(), again[i].to_vector()) << i;
      }
    }
  }
}

// 100 steps in some launches: kernel, clearing of its barriers, last states; products of the loss.
TEST_F(LstmLayer, IsOneLaunchForAllSteps) {
  const auto launches = [] {
    const int64_t before = cuda::counts().launches;
    run({std::vector<int32_t>(2, 100), 4}, {true, false, true});
    return cuda::counts().launches - before;
  };
  const int64_t by_steps = launches();
  const PersistentLstm on;
  EXPECT_EQ(launches(), by_steps - 400 + 4);
}

#ifdef HEED_CUDA_EMULATED
// Nothing of a step is needed by another block in the same step, and few blocks do what many do.
TEST_F(LstmLayer, OrderAndNumberOfBlocksChangeNoBit) {
  const Case of{falling(70, 5), 33};
  const PersistentLstm on;
  const std::vector<Tensor> expected = run(of, {true, true, true});
  for (const auto& [name, value] :
       {std::pair("EMULATOR_BACKWARDS", "1"), std::pair("HEED_EMULATED_MULTIPROCESSORS", "2")}) {
    setenv(name, value, 1);
    const std::vector<Tensor> got = run(of, {true, true, true});
    unsetenv(name);
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(got[i].to_vector(), expected[i].to_vector()) << name << ", " << i;
    }
  }
}

// The emulation has 132 multiprocessors with 227 KiB.
TEST_F(LstmLayer, SaysWhatFits) {
  const Tensor f32 = Tensor::zeros({1}, DType::f32, kCuda), f64 = f32.to(DType::f64);
  EXPECT_FALSE(fits(f32, 256, 512)) << "off unless asked for";
  const PersistentLstm on;
  EXPECT_FALSE(fits(f32.to(Device{}), 256, 512));
  EXPECT_TRUE(fits(f32, 256, 512));
  EXPECT_TRUE(fits(f32, 1, 1));
  EXPECT_TRUE(fits(f32, 100000, 1056)) << "132 blocks of 8 units";
  EXPECT_FALSE(fits(f32, 256, 1057));
  EXPECT_TRUE(fits(f64, 256, 689)) << "8 (4224 + 689 36) = 232224 bytes of 232448";
  EXPECT_FALSE(fits(f64, 256, 690));
  EXPECT_FALSE(fits(f32, 0, 512));
  setenv("HEED_EMULATED_MULTIPROCESSORS", "63", 1);
  EXPECT_FALSE(fits(f32, 256, 1024));
  unsetenv("HEED_EMULATED_MULTIPROCESSORS");
}
#endif

TEST_F(LstmLayer, TheSwitchIsZeroOrOne) {
  const Tensor f32 = Tensor::zeros({1}, DType::f32, kCuda);
  const PersistentLstm on;
  setenv("HEED_PERSISTENT", "0", 1);
  EXPECT_FALSE(fits(f32, 256, 512));
  setenv("HEED_PERSISTENT", "yes", 1);
  EXPECT_EQ(error_of<UsageError>([&] { fits(f32, 256, 512); }),
            "HEED_PERSISTENT is 'yes', expected 0 or 1");
}

}  // namespace
}  // namespace heed
