#include "dialog/retrieve/losses.h"

#include <map>
#include <numeric>

#include "autograd/discrete.h"
#include "nn/losses.h"

namespace heed::retrieve {

Candidates candidates_of(const std::vector<std::vector<int32_t>>& texts, int64_t batch,
                         bool of_batch, Device device) {
  const auto all = std::ssize(texts);
  check_shape(batch >= 1 && batch <= all, "candidates: ", batch, " contexts, ", all, " texts");
  std::map<std::vector<int32_t>, int32_t> known;
  std::vector<int32_t> number;
  for (const auto& text : texts) {
    number.push_back(known.emplace(text, static_cast<int32_t>(known.size())).first->second);
  }
  std::vector<int32_t> right(batch), none;
  std::iota(right.begin(), right.end(), 0);
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t k = 0; k < all; ++k) {
      none.push_back(k != b && (number[k] == number[b] || (k < batch && !of_batch)));
    }
  }
  return {Tensor::from(right, device), Tensor::from(none, {batch, all}, device)};
}

Var softmax_loss(const Var& scores, const Candidates& c, double smoothing) {
  constexpr double kNever = -1e30;  // e^kNever is 0 beside any score
  const Var log_p = log_softmax(masked_fill(scores, c.none, kNever));
  const Var loss = -pick(log_p, c.right);
  if (smoothing == 0) return loss;
  const Var count = sum(Var(equal(Var(c.none), 0).to(scores.value().dtype())), -1);
  return (1 - smoothing) * loss - smoothing * (sum(masked_fill(log_p, c.none, 0), -1) / count);
}

Var hinge_loss(const Var& scores, const Candidates& c, double margin) {
  const int64_t batch = scores.shape()[0];
  const Var right = reshape(pick(scores, c.right), {batch, 1});
  const Var each = masked_fill(margin_ranking(right, scores, margin), c.none, 0);
  return sum(each, -1) - margin;  // which is what the right one has for itself
}

}  // namespace heed::retrieve
