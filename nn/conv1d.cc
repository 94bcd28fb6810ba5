#include "nn/conv1d.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/init.h"

namespace heed {

Conv1d::Conv1d(int64_t in, int64_t out, int64_t width, bool with_bias) {
  check_shape(in > 0 && out > 0 && width > 0, "Conv1d: sizes must be positive, got in ", in,
              ", out ", out, ", width ", width);
  const double limit = 1 / std::sqrt(static_cast<double>(in * width));
  weight = Var::parameter({out, in, width}, uniform_law(-limit, limit));
  if (with_bias) bias = Var::parameter({out}, uniform_law(-limit, limit));
}

Segments Conv1d::windows(const Segments& s) const {
  const int64_t width = weight.shape()[2];
  std::vector<int32_t> lengths;
  for (int64_t i = 0; i < s.count(); ++i) {
    check_shape(s.length(i) >= width, "Conv1d: sequence ", i, " has ", s.length(i),
                " rows, fewer than the width ", width);
    lengths.push_back(static_cast<int32_t>(s.length(i) - width + 1));
  }
  return Segments(lengths, s.offsets().device());
}

// The `width` rows of a window stand side by side, so that all windows are one matrix product.
Var Conv1d::operator()(const Var& x, const Segments& s) const {
  const int64_t out = weight.shape()[0], in = weight.shape()[1], width = weight.shape()[2];
  check_shape(x.shape().rank() == 2 && x.shape()[1] == in, "Conv1d: expected rows of ", in,
              " numbers, got ", x.shape());
  check_shape(!s.selected() && s.total() == x.shape()[0] && s.memory_rows() == x.shape()[0],
              "Conv1d: segments of ", s.total(), " rows do not fit ", x.shape());
  check_by_sequence("Conv1d", x);
  const Segments results = windows(s);
  std::vector<int32_t> rows;
  for (int64_t i = 0; i < s.count(); ++i) {
    for (int64_t t = 0; t < results.length(i); ++t) {
      for (int64_t j = 0; j < width; ++j) rows.push_back(static_cast<int32_t>(s.begin(i) + t + j));
    }
  }
  const Var side_by_side =
      reshape(gather_rows(x, Tensor::from(rows, x.device())), {results.total(), width * in});
  // Not affine(): in a KeepPacked it would keep this weight, which every call makes anew.
  const Var y = matmul(side_by_side, reshape(transpose(weight, 0, 2), {width * in, out}));
  return (bias.defined() ? y + bias : y).in_order(RowOrder::by_sequence);
}

}  // namespace heed
