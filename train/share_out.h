// Work on a list that ranks share: rank r of n has the elements r, r + n, r + 2 n ...
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "train/ranks.h"
#include "train/task.h"

namespace heed {

// The elements of this rank.
template <class List> auto part_of_rank(const Ranks& ranks, const List& list) {
  std::vector<std::decay_t<decltype(list[0])>> part;
  const auto step = static_cast<size_t>(ranks.size());
  for (auto i = static_cast<size_t>(ranks.rank()); i < list.size(); i += step) {
    part.push_back(list[i]);
  }
  return part;
}

// The results of all `count` elements, on all ranks; `work` returns those of this rank's elements.
// If it throws StopValidation on one rank, all throw it. Result is what BytesOut writes.
template <class Result, class Work>
std::vector<Result> share_out(Ranks& ranks, size_t count, const Work& work) {
  std::optional<std::vector<Result>> own;
  try {
    own = work();
  } catch (const StopValidation&) {  // the others are told below
  }
  if (ranks.any(!own) != 0) throw StopValidation{};
  if (ranks.size() == 1) return std::move(*own);
  BytesOut out;
  for (const Result& result : *own) out(result);
  const std::vector<std::string> blocks = ranks.gather(out.bytes());
  std::vector<BytesIn> parts(blocks.begin(), blocks.end());
  std::vector<Result> all(count);
  for (size_t i = 0; i < count; ++i) parts[i % parts.size()](all[i]);
  return all;
}

}  // namespace heed
