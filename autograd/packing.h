// Ragged batches without padding.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "autograd/var.h"

namespace heed {

class Segments;

// Sequences of different lengths, longest first, stored time-major: the rows of step t belong to
// the batch_size(t) sequences that are still running, in order. Row offset(t) + b is step t of
// sequence b. No row is padding.
//
//   lengths 3 2 1      step 0: a0 b0 c0   step 1: a1 b1   step 2: a2
class Packing {
 public:
  Packing() = default;
  // Throws ShapeError unless lengths are positive and non-increasing.
  explicit Packing(const std::vector<int32_t>& lengths);
  // `batch` sequences of one step each.
  static Packing single_step(int64_t batch);

  int64_t steps() const { return static_cast<int64_t>(data_->batch_sizes.size()); }
  int64_t batch() const { return steps() ? data_->batch_sizes[0] : 0; }
  int64_t rows() const { return data_->offsets.back(); }  // all time steps of all sequences
  int64_t batch_size(int64_t t) const { return data_->batch_sizes[t]; }
  int64_t offset(int64_t t) const { return data_->offsets[t]; }
  int64_t row(int64_t t, int64_t sequence) const { return offset(t) + sequence; }
  const std::vector<int32_t>& lengths() const { return data_->lengths; }
  // Throws ShapeError for a sequence that is not there.
  int64_t length(int64_t sequence) const {
    check_shape(sequence >= 0 && sequence < batch(), "packing: sequence ", sequence, " of ",
                batch());
    return data_->lengths[sequence];
  }

  // The same sequences as Segments, whose rows stand sequence after sequence.
  Segments segments(Device device = {}) const;

  std::vector<int32_t> last_rows() const;     // the row of each sequence's last step
  std::vector<int32_t> sequence_ids() const;  // for every row its sequence
  std::vector<int32_t> reversed() const;      // for every row the row that mirrors it in time
  std::vector<int32_t> rows_before() const;   // for every row after step 0 that of the step before
  std::vector<int32_t> by_sequence() const;   // its rows, one sequence after the other
  std::vector<int32_t> by_step() const;       // for every row its place in by_sequence()
  // The same, and all offset(t), one more than steps, as tensors; made once for each device.
  Tensor last_rows(Device device) const;
  Tensor rows_before(Device device) const;
  Tensor by_sequence(Device device) const;
  Tensor by_step(Device device) const;
  Tensor offsets(Device device) const;

 private:
  // A tensor on each device that asked for it.
  class OnDevices {
   public:
    template <class Make> Tensor get(Device device, Make make) const;

   private:
    mutable std::mutex mutex_;
    mutable std::vector<Tensor> tensors_;
  };
  struct Data {
    std::vector<int32_t> lengths;
    std::vector<int64_t> batch_sizes, offsets{0};
    OnDevices last = {}, before = {}, starts = {}, sequences = {}, places = {};
  };
  std::shared_ptr<const Data> data_ = std::make_shared<Data>();
};

// Ranges of rows, one after the other, as rows of by_sequence() are (those of a Packing are not):
// one for each query that looks at a memory. Segment s has the scores and weights [begin(s),
// end(s)) and as many rows of the memory, from memory_begin(s) on. Segments of lengths stand one
// after the other in both.
class Segments {
 public:
  Segments() = default;
  // Throws ShapeError for negative lengths, and for more rows than an i32 can number.
  explicit Segments(const std::vector<int32_t>& lengths, Device device = {});
  // The first segments only, of the same memory: the rest of it belongs to nobody. For a step in
  // which fewer dialogues are still running. Throws ShapeError if there are not that many.
  Segments first(int64_t count) const;
  // The segments ids_i of the same memory, each as often as it is named: queries that look at the
  // same rows, as the hypotheses of a beam do. Such a memory gets no gradient. Throws ShapeError
  // for ids out of range.
  Segments select(const std::vector<int32_t>& ids) const;

  int64_t count() const { return count_; }
  // Throw ShapeError for a segment that is not there.
  int64_t begin(int64_t s) const { return ranges_->offsets[checked(s)]; }
  int64_t end(int64_t s) const { return ranges_->offsets[checked(s) + 1]; }
  int64_t length(int64_t s) const { return end(s) - begin(s); }
  int64_t memory_begin(int64_t s) const { return ranges_->starts[checked(s)]; }
  int64_t total() const { return ranges_->offsets[count_]; }  // scores of these segments
  int64_t memory_rows() const { return memory_rows_; }        // theirs and those of nobody
  bool selected() const { return selected_; }
  // i32 on the device: begin(), one more than segments, and memory_begin()
  const Tensor& offsets() const { return offsets_; }
  const Tensor& starts() const { return starts_; }

 private:
  int64_t checked(int64_t s) const {
    check_shape(s >= 0 && s < std::ssize(ranges_->starts), "segments: number ", s, " of ", count_);
    return s;
  }
  struct Ranges {
    std::vector<int32_t> offsets{0}, starts;
    void add(int64_t length);
  };
  std::shared_ptr<const Ranges> ranges_ = std::make_shared<Ranges>();
  Tensor offsets_, starts_;
  int64_t count_ = 0, memory_rows_ = 0;
  bool selected_ = false;
};

// What a list of sequences becomes: sorted, the longest first (equally long ones in their order),
// and packed. Labels go the same way with sorted(), results of the sequences back with restored().
struct Packed {
  Packing packing;
  Tensor rows;                 // i32 (N) ids, or (N, ...) what stands at each step, step by step
  std::vector<int32_t> order;  // (B): which of the given sequences is the b-th now
  std::vector<int32_t> place;  // (B): and where each of the given ones is

  template <class X> std::vector<X> sorted(const std::vector<X>& of_given) const {
    check_shape(of_given.size() == order.size(), "sorted: ", of_given.size(), " values for ",
                order.size(), " sequences");
    std::vector<X> result;
    for (const int32_t i : order) result.push_back(of_given[i]);
    return result;
  }
  Var restored(const Var& y) const;  // (B, ...) of the sorted sequences -> of the given ones
};
// Sequences of ids, or of rows (n_i, ...), in any order. Throws ShapeError for an empty one, and
// for rows of different shapes.
[[nodiscard]] Packed pack(const std::vector<std::vector<int32_t>>& sequences, Device device = {});
[[nodiscard]] Packed pack(const std::vector<Tensor>& sequences);

// The rows of a packing one sequence after the other, and back. x (N, ...), y (N, ...);
// differentiable. Throw ShapeError for another number of rows, and for rows that are known to be in
// that order.
[[nodiscard]] Var by_sequence(const Var& x, const Packing& packing);
[[nodiscard]] Var by_step(const Var& x, const Packing& packing);
// Throws ShapeError where the rows of x are known to stand step by step, for an op that takes them
// one sequence after the other; and the other way round.
void check_by_sequence(const char* op, const Var& x);
void check_by_step(const char* op, const Var& x);

}  // namespace heed
