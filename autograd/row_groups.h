// Rows that are added up where their indices are equal.
#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace heed {

// Indices, grouped by value on the host: what add_groups() (tensor/kernels/gather.h) is told of
// them. The rows of a group are added in the order in which they were given.
class RowGroups {
 public:
  RowGroups(const std::vector<int32_t>& ids, Device device);

  const Tensor& ids() const { return ids_; }  // i32 on the device: the distinct ones, ascending

  // y[ids_i] += x_i, for x with a row for each index.
  void add(const Tensor& y, const Tensor& x) const;
  // (groups, ...): the sum of each group's rows of x.
  Tensor sums(const Tensor& x) const;

 private:
  Tensor ids_, starts_, order_;
};

}  // namespace heed
