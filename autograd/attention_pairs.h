#pragma once

#include <memory>
#include <vector>

#include "autograd/packing.h"
#include "tensor/kernels/attention.h"

namespace heed {

// Which rows each query attends to, with several queries per segment: the queries of segment s,
// which are contiguous, see the memory rows of segment s. Each pair of a query and a row that it
// sees has a weight, and no other pair has: there is no padding and no mask. Made once per batch;
// all layers share it.
//
//   queries 2 1, memory 3 2      weights: a0 sees 3, a1 sees 3; b0 sees 2        8 pairs
//   the same, causal                      a0 sees 2, a1 sees 3; b0 sees 2        7 pairs
class AttentionPairs {
 public:
  AttentionPairs() : AttentionPairs(Segments(), Segments()) {}  // none
  // Causal: the last query of a segment sees its whole memory, the query before it all but the last
  // row, and so on. Self-attention uses the same segments twice; a decoder that continues uses its
  // new rows and all rows. Throws ShapeError if the numbers of segments differ, if `queries` are
  // selected ones, if a causal segment has more queries than memory rows, or if there are more
  // pairs than an i32 can number; DeviceError for segments on two devices.
  AttentionPairs(Segments queries, Segments memory, bool causal = false);

  const Segments& queries() const { return queries_; }
  const Segments& memory() const { return memory_; }
  bool causal() const { return causal_; }
  int64_t total() const { return pairs_ ? pairs_->back() : 0; }
  // The weights of query i of segment s are [begin(s, i), begin(s, i) + seen(s, i)), of the memory
  // rows from memory().memory_begin(s) on. Throws ShapeError if there is no such query.
  int64_t begin(int64_t s, int64_t i) const;
  int64_t seen(int64_t s, int64_t i) const;
  PairTable table() const;  // for kernels on the device of the segments

 private:
  void check_query(int64_t s, int64_t i) const;

  Segments queries_, memory_;
  bool causal_ = false;
  std::shared_ptr<const std::vector<int32_t>> pairs_;  // the first of each segment, and the end
  Tensor pairs_on_device_;
};

// The same for one query a segment: segment b has row b of the queries, which sees its whole
// memory.
PairTable table_of(const Segments& segments);

}  // namespace heed
