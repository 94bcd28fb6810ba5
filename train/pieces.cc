#include "train/pieces.h"

#include <algorithm>

namespace heed {

std::vector<std::vector<int64_t>> cut_in_pieces(const std::vector<int64_t>& batch,
                                                const std::vector<int64_t>& sizes, int pieces) {
  if (pieces == 1) return {batch};
  const auto cost = [&](int64_t i) { return sizes[static_cast<size_t>(i)]; };
  std::vector<size_t> order(batch.size());  // places in the batch, the largest examples first
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return cost(batch[a]) > cost(batch[b]); });
  std::vector<int64_t> costs(static_cast<size_t>(pieces), 0);
  std::vector<std::vector<size_t>> places(costs.size());
  for (const size_t place : order) {  // each to the piece that has the least so far
    const auto least = std::min_element(costs.begin(), costs.end());
    *least += std::max<int64_t>(cost(batch[place]), 1);
    places[static_cast<size_t>(least - costs.begin())].push_back(place);
  }
  std::vector<std::vector<int64_t>> result(costs.size());
  for (size_t p = 0; p < result.size(); ++p) {
    std::sort(places[p].begin(), places[p].end());
    for (const size_t place : places[p]) result[p].push_back(batch[place]);
  }
  return result;
}

PieceRange pieces_of_rank(int rank, int ranks, int pieces) {
  const auto begin = [&](int r) {
    return static_cast<int>((int64_t{r} * pieces + ranks - 1) / ranks);
  };
  return {begin(rank), begin(rank + 1)};
}

}  // namespace heed
