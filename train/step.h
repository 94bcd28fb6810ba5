// The gradients of a step, whose batch is cut into pieces that the ranks share.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tensor/async_read.h"
#include "train/carrier.h"
#include "train/group_sums.h"
#include "train/ranks.h"
#include "train/task.h"

namespace heed {

// The losses of a step's pieces together: the sums of the total, the tokens and the counts, in the
// order of the pieces, and the mean of the nats per token, weighted by the pieces' examples
// (Task::weights).
struct StepSum {
  double total = 0;
  int64_t tokens = 0;
  Counts counts = {};
  double nll = 0;
};

// The losses of this rank's pieces; some of their numbers are still being read from the device.
class StepLosses {
 public:
  // The first call waits for the numbers, and for those of the other ranks.
  const StepSum& sum();
  Device device() const { return device_; }

 private:
  friend class PiecewiseGradients;
  // `weight`: the piece's share of the batch, by Task::weights.
  struct Open {
    double weight;
    Loss loss;
    AsyncRead numbers;
  };
  StepLosses(Ranks& ranks, Device device) : ranks_(&ranks), device_(device) {}
  std::vector<StepSum> own();

  Ranks* ranks_;
  Device device_;
  std::vector<Open> open_ = {};
  std::optional<StepSum> sum_ = {};
};

// Throws UsageError if there are more ranks than pieces.
void check_ranks(int ranks, int pieces);

// Computes the gradients of a batch piece by piece; each rank computes its own pieces.
class PiecewiseGradients {
 public:
  PiecewiseGradients(int pieces, Ranks& ranks);  // throws as check_ranks()

  // Leaves the gradients of the task's loss on the batch in its parameters, on all ranks the same:
  //   loss = sum_p (weight of p's examples / weight of the batch) loss of piece p (Task::weights)
  // The gradients of the pieces are computed one by one and summed in a fixed tree
  // (train/gradient_sum.h), so that no bit depends on the number of ranks. With one piece it is the
  // backward pass of the batch and nothing else. Complete gradients are sent while a rank's last
  // piece runs (train/group_sums.h), so the task's loss must not call the ranks.
  StepLosses compute_gradients(const Task& task, const std::vector<int64_t>& batch, StepKey key);

 private:
  using Compute = std::function<void(int piece, const Var::OnComplete& complete)>;
  void sum_pieces(const Module* module, const std::vector<NamedParameter>& all,
                  const std::vector<std::vector<int64_t>>& pieces, const Compute& compute);
  Groups agreed_groups(const std::vector<NamedParameter>& parameters,
                       const std::vector<size_t>& order) const;

  const int pieces_;
  Ranks& ranks_;
  std::unique_ptr<Carrier> carrier_;  // of gradients; made at the first step of several ranks
  // Of each task's parameters: one group in its first step, which shows the order of completion.
  std::map<const Module*, Groups> groups_;
};

}  // namespace heed
