#include "dialog/parts/pooling.h"

#include <vector>

#include "autograd/ops.h"
#include "base/error.h"

namespace heed {

Pooling parse_pooling(const std::string& name) {
  if (name == "sum") return Pooling::kSum;
  if (name == "mean") return Pooling::kMean;
  if (name == "last") return Pooling::kLast;
  if (name == "top") return Pooling::kTop;
  throw UsageError("pool: expected sum, mean, last or top, got '" + name + "'");
}

Var pool_layers(const LstmState& state, Pooling pooling) {
  if (pooling == Pooling::kLast || pooling == Pooling::kTop) return state.top();
  Var total = state.h[0];
  for (size_t l = 1; l < state.h.size(); ++l) total = total + state.h[l];
  return pooling == Pooling::kSum ? total : total / static_cast<double>(state.h.size());
}

Var pool_positions(const Var& x, const Segments& dialogues, Pooling pooling) {
  if (pooling == Pooling::kTop) {
    throw UsageError("pool: top is for the layers of LSTMs; a transformer takes sum, mean or last");
  }
  if (pooling == Pooling::kMean) return segment_mean(x, dialogues);
  if (pooling == Pooling::kSum) {
    const Var ones(Tensor::full({x.shape()[0]}, 1, x.dtype(), x.device()));
    return segment_context(ones, x, dialogues);
  }
  std::vector<int32_t> last;
  for (int64_t b = 0; b < dialogues.count(); ++b) {
    last.push_back(static_cast<int32_t>(dialogues.end(b) - 1));
  }
  return gather_rows(x, Tensor::from(last, x.device()));
}

}  // namespace heed
