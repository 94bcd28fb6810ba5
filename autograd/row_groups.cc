#include "autograd/row_groups.h"

#include <algorithm>
#include <numeric>

#include "tensor/dispatch.h"
#include "tensor/kernels/groups.h"

namespace heed {

RowGroups::RowGroups(const std::vector<int32_t>& ids, Device device) {
  std::vector<int32_t> order(ids.size()), starts, all;
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int32_t a, int32_t b) { return std::pair(ids[a], a) < std::pair(ids[b], b); });
  for (size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && ids[order[i]] == all.back()) continue;
    all.push_back(ids[order[i]]);
    starts.push_back(static_cast<int32_t>(i));
  }
  starts.push_back(static_cast<int32_t>(ids.size()));
  const int64_t groups = std::ssize(all), n = std::ssize(order);
  all.insert(all.end(), starts.begin(), starts.end());
  all.insert(all.end(), order.begin(), order.end());
  const Tensor there = Tensor::from(all, device);  // one copy to the device for all three
  ids_ = there.rows(0, groups);
  starts_ = there.rows(groups, 2 * groups + 1);
  order_ = there.rows(2 * groups + 1, 2 * groups + 1 + n);
}

void RowGroups::add(const Tensor& y, const Tensor& x) const {
  const int64_t width = y.shape().product(1, y.shape().rank());
  KERNEL(y, add_groups<T>({y.data<T>(), Write::add}, x.data<T>(), ids_.data<int32_t>(),
                          starts_.data<int32_t>(), order_.data<int32_t>(), ids_.numel(), width));
}

Tensor RowGroups::sums(const Tensor& x) const {
  const Tensor y = Tensor::empty(x.shape().with(0, ids_.numel()), x.dtype(), x.device());
  const int64_t width = x.shape().product(1, x.shape().rank());
  KERNEL(y, add_groups<T>(y.data<T>(), x.data<T>(), nullptr, starts_.data<int32_t>(),
                          order_.data<int32_t>(), ids_.numel(), width));
  return y;
}

}  // namespace heed
