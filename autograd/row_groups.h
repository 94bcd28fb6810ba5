// Sums of the rows that have equal indices.
#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace heed {

// Indices, grouped by value on the host, for add_groups() (tensor/kernels/groups.h). The rows of a
// group are added in the order of their indices.
class RowGroups {
 public:
  RowGroups(const std::vector<int32_t>& ids, Device device);

  const Tensor& ids() const { return ids_; }  // i32 on the device: the distinct indices, ascending

  // y[ids_i] += x_i. x has a row for each index.
  void add(const Tensor& y, const Tensor& x) const;
  // -> (groups, ...): the sums of the rows of x in each group.
  Tensor sums(const Tensor& x) const;

 private:
  Tensor ids_, starts_, order_;
};

}  // namespace heed
