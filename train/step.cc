#include "train/step.h"

#include <string>

#include "autograd/ops.h"
#include "tensor/bytes.h"
#include "tensor/error.h"
#include "train/gradient_sum.h"

namespace heed {
namespace {

StepSum operator+(StepSum a, const StepSum& b) {
  a.total += b.total;
  a.tokens += b.tokens;
  a.nll += b.nll;
  for (const auto& [name, count] : b.counts) a.counts[name] += count;
  return a;
}

std::string bytes_of(const std::vector<StepSum>& pieces) {
  BytesOut out;
  for (const StepSum& piece : pieces) {
    out.put(piece.total);
    out.put(piece.tokens);
    out.put(piece.nll);
    out.put(piece.counts.size());
    for (const auto& [name, count] : piece.counts) {
      out.put_text(name);
      out.put(count);
    }
  }
  return std::string(out.bytes());
}

std::vector<StepSum> pieces_in(const std::string& bytes) {
  std::vector<StepSum> pieces;
  for (BytesIn in(bytes); !in.done();) {
    StepSum& piece = pieces.emplace_back();
    piece.total = in.get<double>();
    piece.tokens = in.get<int64_t>();
    piece.nll = in.get<double>();
    for (auto left = in.get<size_t>(); left > 0; --left) {
      const std::string name = in.get_text();
      piece.counts[name] = in.get<double>();
    }
  }
  return pieces;
}

}  // namespace

std::vector<StepSum> StepLosses::own() {
  std::vector<StepSum> pieces;
  for (auto& [weight, loss, numbers] : open_) {
    const std::vector<double> values = numbers.get();
    if (loss.late.complete) loss.late.complete(loss, {values.begin() + 1, values.end()});
    pieces.push_back({weight * values[0], loss.tokens, std::move(loss.counts), weight * loss.nll});
  }
  return pieces;
}

StepSum StepLosses::sum() {
  StepSum sum;
  for (const std::string& of_rank : ranks_->gather(bytes_of(own()))) {
    for (const StepSum& piece : pieces_in(of_rank)) sum = sum + piece;
  }
  return sum;
}

void check_ranks(int ranks, int pieces) {
  if (ranks <= pieces) return;
  throw UsageError("ranks: " + std::to_string(ranks) + " share out the pieces of a batch, " +
                   "and this training cuts it into " + std::to_string(pieces) +
                   "; take fewer ranks, or more --pieces for a new run");
}

PiecewiseGradients::PiecewiseGradients(int pieces, Ranks& ranks) : pieces_(pieces), ranks_(ranks) {
  check_ranks(ranks.size(), pieces);
}

StepLosses PiecewiseGradients::compute_gradients(const Task& task,
                                                 const std::vector<int64_t>& batch, StepKey key) {
  const std::vector<NamedParameter> all = parameters(*task.module);
  const auto pieces = cut_in_pieces(batch, task.sizes, pieces_);
  const PieceRange own = pieces_of_rank(ranks_.rank(), ranks_.size(), pieces_);
  StepLosses losses(ranks_, all[0].var.device());
  GradientTree tree = gradient_tree(all);
  for (int p = own.begin; p < own.end; ++p) {
    const std::vector<int64_t>& examples = pieces[static_cast<size_t>(p)];
    zero_grad(*task.module);
    if (!examples.empty()) {
      const double weight =
          static_cast<double>(examples.size()) / static_cast<double>(batch.size());
      key.piece = p;
      Loss loss = task.loss(examples, key);
      (pieces_ == 1 ? loss.total : weight * loss.total).backward();
      std::vector<Tensor> numbers = {loss.total.value()};
      numbers.insert(numbers.end(), loss.late.tensors.begin(), loss.late.tensors.end());
      loss.total = Var();  // its graph is used
      losses.open_.push_back({weight, std::move(loss), LateNumbers(numbers)});
    }
    if (pieces_ > 1) tree.add({0, p, take_gradients(all)});
  }
  if (pieces_ == 1) return losses;
  if (ranks_.size() > 1 && !carrier_) carrier_ = make_carrier(ranks_, losses.device());
  put_gradients(all, ranks_.size() == 1 ? std::move(tree.nodes()[0].value)
                                        : sum_over_ranks(all, tree, *carrier_));
  return losses;
}

}  // namespace heed
