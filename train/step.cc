#include "train/step.h"

#include <string>

#include "autograd/ops.h"
#include "base/error.h"
#include "tensor/bytes.h"
#include "train/group_sums.h"

namespace heed {

static void each_member(auto& bytes, StepSum& piece) {
  bytes(piece.total, piece.tokens, piece.nll, piece.counts);
}

namespace {

StepSum operator+(StepSum a, const StepSum& b) {
  a.total += b.total;
  a.tokens += b.tokens;
  a.nll += b.nll;
  for (const auto& [name, count] : b.counts) a.counts[name] += count;
  return a;
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

const StepSum& StepLosses::sum() {
  if (sum_) return *sum_;
  sum_.emplace();
  for (const std::vector<StepSum>& of_rank : ranks_->gather_values(own())) {
    for (const StepSum& piece : of_rank) sum_ = *sum_ + piece;
  }
  return *sum_;
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
  const auto weight_of = [&](const std::vector<int64_t>& examples) {
    double sum = 0;
    for (const int64_t i : examples) {
      sum += task.weights.empty() ? 1 : static_cast<double>(task.weights[static_cast<size_t>(i)]);
    }
    return sum;
  };
  const double whole = weight_of(batch);
  StepLosses losses(ranks_, all[0].var.device());
  const auto compute = [&](int p, const Var::OnComplete& complete) {
    const std::vector<int64_t>& examples = pieces[static_cast<size_t>(p)];
    zero_grad(*task.module);
    if (examples.empty()) return;
    const double weight = weight_of(examples) / whole;
    key.piece = p;
    Loss loss = task.loss(examples, key);
    (pieces_ == 1 ? loss.total : weight * loss.total).backward(complete);
    std::vector<Tensor> numbers = {loss.total.value()};
    numbers.insert(numbers.end(), loss.late.tensors.begin(), loss.late.tensors.end());
    loss.total = Var();  // its graph is used
    losses.open_.push_back({weight, std::move(loss), AsyncRead(numbers)});
  };
  if (pieces_ == 1) {
    compute(0, {});
  } else {
    sum_pieces(task.module, all, pieces, compute);
  }
  return losses;
}

void PiecewiseGradients::sum_pieces(const Module* module, const std::vector<NamedParameter>& all,
                                    const std::vector<std::vector<int64_t>>& pieces,
                                    const Compute& compute) {
  if (ranks_.size() > 1 && !carrier_) carrier_ = make_carrier(ranks_, all[0].var.device());
  const auto known = groups_.find(module);
  const Groups groups = known != groups_.end() ? known->second : one_group(all.size());
  const PieceRange own = pieces_of_rank(ranks_.rank(), ranks_.size(), pieces_);
  int last = own.end - 1;  // with examples
  while (last > own.begin && pieces[static_cast<size_t>(last)].empty()) --last;
  GroupSums sums(all, groups, carrier_.get());
  for (int p = own.begin; p < last; ++p) {
    compute(p, {});
    sums.add(p);
  }
  const std::vector<size_t> order =
      sums.add_last(last, own.end, [&](const auto& complete) { compute(last, complete); });
  if (known == groups_.end()) groups_[module] = agreed_groups(all, order);
}

// By the order of rank 0. On GPUs nothing is sent early, and so it stays one group.
Groups PiecewiseGradients::agreed_groups(const std::vector<NamedParameter>& parameters,
                                         const std::vector<size_t>& order) const {
  BytesOut own;
  own(parameters[0].var.device().is_cuda() ? std::vector<size_t>() : order);
  const std::string of_first = ranks_.of_first(own.bytes());
  const auto agreed = BytesIn(of_first).get_list<size_t>();
  return agreed.empty() ? one_group(parameters.size()) : cut_in_groups(parameters, agreed);
}

}  // namespace heed
