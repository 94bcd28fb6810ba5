#include "dialog/respond/best_choices.h"

#include <algorithm>

#include "dialog/text/vocabulary.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/top_k.h"

namespace heed {

constexpr int64_t kMostOnGpu = 64;

std::vector<int32_t> never_written(bool allow_unk) {
  std::vector<int32_t> tokens = {kPad, kSos, kEou};
  if (!allow_unk) tokens.push_back(kUnk);
  return tokens;
}

std::vector<std::vector<Choice>> best_choices(const Tensor& logits,
                                              const std::vector<int32_t>& excluded, int64_t count) {
  const int64_t rows = logits.shape()[0], cols = logits.shape()[1];
  const int64_t k = std::min(cols, count + std::ssize(excluded));  // excluded ones may lead
  if (k < 1) return std::vector<std::vector<Choice>>(rows);
  // A GPU finds a few; all of them, to sample from, are sorted here.
  const Tensor x = k <= kMostOnGpu ? logits : logits.to(Device{});
  const Tensor best = Tensor::empty({rows, k}, DType::f64, x.device());
  const Tensor columns = Tensor::empty({rows, k}, DType::i32, x.device());
  KERNEL(x, top_k_log_softmax(best.data<double>(), columns.data<int32_t>(), x.data<T>(), rows, cols,
                              k));
  const std::vector<double> log_probs = best.to_vector();
  const std::vector<int32_t> tokens = columns.to_ints();

  std::vector<std::vector<Choice>> choices(rows);
  for (int64_t at = 0; at < rows * k; ++at) {
    std::vector<Choice>& row = choices[at / k];
    const bool may_come = std::find(excluded.begin(), excluded.end(), tokens[at]) == excluded.end();
    if (may_come && std::ssize(row) < count) row.push_back({tokens[at], log_probs[at]});
  }
  return choices;
}

}  // namespace heed
