#include "nn/conv1d.h"

#include <gtest/gtest.h>

#include "autograd/gradcheck.h"
#include "autograd/keep_packed.h"
#include "autograd/ops.h"
#include "nn/init.h"
#include "tensor/allocator.h"
#include "tensor/compare.h"
#include "tensor/random_tensor.h"

namespace heed {
namespace {

const Segments kThree({4, 2, 3});  // sequences of 9 rows in all

// y[t][o] = bias[o] + sum_{c, j} weight[o][c][j] x[t + j][c], as PyTorch has it
std::vector<double> by_loops(const Tensor& x, const Conv1d& conv, const Segments& s) {
  const Shape& w = conv.weight.shape();
  std::vector<double> y;
  for (int64_t i = 0; i < s.count(); ++i) {
    for (int64_t t = s.begin(i); t + w[2] <= s.end(i); ++t) {
      for (int64_t o = 0; o < w[0]; ++o) {
        double total = conv.bias.value().at({o});
        for (int64_t c = 0; c < w[1]; ++c) {
          for (int64_t j = 0; j < w[2]; ++j) {
            total += conv.weight.value().at({o, c, j}) * x.at({t + j, c});
          }
        }
        y.push_back(total);
      }
    }
  }
  return y;
}

Conv1d small_conv(int64_t width) {
  Conv1d conv(3, 5, width);
  init(conv, 7);
  convert(conv, DType::f64);
  return conv;
}

Tensor nine_rows() {
  return normal({9, 3}, 0, 1, {.seed = 2}, DType::f64);
}

TEST(Conv1d, AgreesWithPlainLoopsAndNeverCrossesSequences) {
  for (const int64_t width : {1, 2}) {
    const Conv1d conv = small_conv(width);
    const Var y = conv(nine_rows(), kThree);
    const Tensor want = Tensor::from(by_loops(nine_rows(), conv, kThree), y.shape());
    EXPECT_EQ(y.shape(), Shape({9 - 3 * (width - 1), 5}));
    EXPECT_EQ(mismatch(y.value(), want, {.relative = 1e-12, .absolute = 1e-12}), "");
    EXPECT_EQ(y.row_order(), RowOrder::by_sequence);
  }
}

TEST(Conv1d, GradientsThroughTheMaximumOverTime) {
  const Conv1d conv = small_conv(2);
  const GradCheck check = check_gradient(
      [&](const std::vector<Var>& in) {
        Conv1d layer = conv.like();
        layer.weight = in[1];
        layer.bias = in[2];
        return sum(square(segment_max(tanh(layer(in[0], kThree)), layer.windows(kThree))));
      },
      {nine_rows(), conv.weight.value(), conv.bias.value()});
  EXPECT_LT(check.max_error, 1e-6) << check.worst;
}

TEST(Conv1d, RefusesWhatItCannotCut) {
  const Conv1d conv = small_conv(3);
  EXPECT_THROW((void)conv(nine_rows(), kThree), ShapeError);  // the second sequence has two rows
  EXPECT_THROW((void)conv(nine_rows(), Segments({4, 4})), ShapeError);
  EXPECT_THROW((void)conv(nine_rows().rows(0, 4).reshape({3, 4}), Segments({3})), ShapeError);
  EXPECT_THROW((void)conv(Var(nine_rows()).in_order(RowOrder::by_step), Segments({9})), ShapeError);
  EXPECT_THROW(Conv1d(3, 0, 2), ShapeError);
}

TEST(Conv1d, LeavesNothingBehindInAKeepPacked) {
  Conv1d conv(2, 3, 2);
  init(conv, 1);
  const NoGrad guard;
  const KeepPacked keep;
  int64_t before = 0;
  for (int i = 0; i < 3; ++i) {
    if (i == 1) before = memory_stats().bytes_in_use;
    (void)conv(Tensor::ones({4, 2}), Segments({4}));
  }
  EXPECT_EQ(memory_stats().bytes_in_use, before);
}

}  // namespace
}  // namespace heed
