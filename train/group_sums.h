// The gradients of a step, summed over pieces and ranks by groups, while the backward pass runs.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "train/gradient_sum.h"

namespace heed {

// Parameters whose gradients are sent together, by their indices in a list of parameters. The
// groups are sent one after the other, and all ranks have the same groups.
using Groups = std::vector<std::vector<size_t>>;

Groups one_group(size_t parameters);
// Groups of parameters, in the order in which their gradients are complete.
Groups cut_in_groups(const std::vector<NamedParameter>& parameters,
                     const std::vector<size_t>& order);

class GroupSums {
 public:
  using Pass = std::function<void(const Var::OnComplete& complete)>;

  // Without a carrier this process has all pieces.
  GroupSums(const std::vector<NamedParameter>& parameters, const Groups& groups, Carrier* carrier);

  // Takes the gradients of a piece out of the parameters.
  void add(int piece);
  // The last pieces of this rank, [piece, end): `backward` is the pass of the first one, and the
  // others have no examples. On CPUs a thread sends complete groups while the pass runs; this
  // thread sends the rest. Leaves the sums of all pieces in the parameters, and returns the order
  // in which the gradients were complete.
  //
  // After an error nothing more is sent. If both the pass and the sending fail, the error of the
  // sending is thrown, because the other ranks may know of it (Ranks::give_up).
  std::vector<size_t> add_last(int piece, int end, const Pass& backward);

 private:
  std::vector<NamedParameter> parameters_of(size_t group) const;
  bool sends_beside() const;
  double seconds_of_ranks() const;
  void run(const Pass& backward, const std::function<void(size_t)>& take) const;
  void send(size_t group, int piece, int end);

  const std::vector<NamedParameter>& parameters_;
  const Groups& groups_;
  Carrier* const carrier_;
  std::vector<GradientTree> trees_;  // one for each group
  Gradients last_, sums_;            // of the last piece and of all, one for each parameter
};

}  // namespace heed
