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
// sequence b. There is no padding.
//
//   lengths 3 2 1      step 0: a0 b0 c0   step 1: a1 b1   step 2: a2
class Packing {
 public:
  Packing() = default;
  // Throws ShapeError unless lengths are positive and non-increasing.
  explicit Packing(const std::vector<int32_t>& lengths);
  // `batch` sequences of one step each. Throws ShapeError for a negative number.
  static Packing single_step(int64_t batch);

  int64_t steps() const { return static_cast<int64_t>(data_->batch_sizes.size()); }
  int64_t batch() const { return steps() ? data_->batch_sizes[0] : 0; }
  int64_t rows() const { return data_->offsets.back(); }  // all time steps of all sequences
  int64_t batch_size(int64_t t) const {
    check_shape(t >= 0 && t < steps(), "packing: step ", t, " of ", steps());
    return data_->batch_sizes[t];
  }
  int64_t offset(int64_t t) const {
    check_shape(t >= 0 && t <= steps(), "packing: step ", t, " of ", steps());
    return data_->offsets[t];
  }
  // The row of step t of a sequence. Throws ShapeError if the sequence has no step t.
  int64_t row(int64_t t, int64_t sequence) const {
    const int64_t running = batch_size(t);
    check_shape(sequence >= 0 && sequence < running, "packing: sequence ", sequence, " of the ",
                running, " that have a step ", t);
    return data_->offsets[t] + sequence;
  }
  const std::vector<int32_t>& lengths() const { return data_->lengths; }
  // Throws ShapeError if there is no such sequence.
  int64_t length(int64_t sequence) const {
    check_shape(sequence >= 0 && sequence < batch(), "packing: sequence ", sequence, " of ",
                batch());
    return data_->lengths[sequence];
  }

  // The same sequences as Segments, whose rows are in the order of by_sequence().
  Segments segments(Device device = {}) const;

  std::vector<int32_t> last_rows() const;     // the row of each sequence's last step
  std::vector<int32_t> sequence_ids() const;  // the sequence of every row
  std::vector<int32_t> reversed() const;      // the row that mirrors every row in time
  std::vector<int32_t> rows_before() const;   // for every row after step 0, that of the step before
  std::vector<int32_t> by_sequence() const;   // its rows, one sequence after the other
  std::vector<int32_t> by_step() const;       // for every row its place in by_sequence()
  const int64_t* offsets() const { return data_->offsets.data(); }  // all steps() + 1 of offset(t)
  // The same as tensors, made once for each device.
  Tensor last_rows(Device device) const;
  Tensor rows_before(Device device) const;
  Tensor by_sequence(Device device) const;
  Tensor by_step(Device device) const;

 private:
  // A tensor, copied to each device that uses it.
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
    OnDevices last = {}, before = {}, sequences = {}, places = {};
  };
  std::shared_ptr<const Data> data_ = std::make_shared<Data>();
};

// Contiguous ranges of rows, one after the other as by_sequence() arranges them (a Packing has
// another order): one range of the memory for each query. Segment s has the scores and weights
// [begin(s), end(s)) and as many rows of the memory, from memory_begin(s) on. Segments made of
// lengths are contiguous in both.
class Segments {
 public:
  Segments() : Segments(std::vector<int32_t>()) {}  // none
  // Throws ShapeError for negative lengths and for more rows than an i32 can count.
  explicit Segments(const std::vector<int32_t>& lengths, Device device = {});
  // The first segments of the same memory; the rest of the memory belongs to no segment. Use it in
  // a decoder step in which fewer dialogues are still running. Throws ShapeError if there are fewer
  // segments.
  [[nodiscard]] Segments first(int64_t count) const;
  // The segments ids_i of the same memory; ids may repeat. Use it for queries that share rows, such
  // as the hypotheses of a beam. Such a memory gets no gradient. Throws ShapeError for ids out of
  // range.
  [[nodiscard]] Segments select(const std::vector<int32_t>& ids) const;

  int64_t count() const { return count_; }
  // These throw ShapeError if there is no such segment.
  int64_t begin(int64_t s) const { return ranges_->offsets[checked(s)]; }
  int64_t end(int64_t s) const { return ranges_->offsets[checked(s) + 1]; }
  int64_t length(int64_t s) const { return end(s) - begin(s); }
  int64_t memory_begin(int64_t s) const { return ranges_->starts[checked(s)]; }
  int64_t total() const { return ranges_->offsets[count_]; }  // the number of scores
  int64_t memory_rows() const { return memory_rows_; }        // including those of no segment
  bool selected() const { return selected_; }
  // i32 on the device: all begin(s) and the end, (count + 1); all memory_begin(s)
  const Tensor& offsets() const { return offsets_; }
  const Tensor& starts() const { return starts_; }

 private:
  int64_t checked(int64_t s) const {
    check_shape(s >= 0 && s < count_, "segments: number ", s, " of ", count_);
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

// A packed list of sequences, sorted by decreasing length; equally long ones keep their order.
// sorted() brings labels into the new order, restored() brings results back into the old one.
struct [[nodiscard]] Packed {
  Packing packing;
  Var rows;                    // i32 (N) ids, or rows (N, ...), in the order of by_step()
  std::vector<int32_t> order;  // (B): sequence b is number order[b] of the given ones
  std::vector<int32_t> place;  // (B): given sequence i is sequence place[i] now

  template <class X> std::vector<X> sorted(const std::vector<X>& of_given) const {
    check_shape(of_given.size() == order.size(), "sorted: ", of_given.size(), " values for ",
                order.size(), " sequences");
    std::vector<X> result;
    for (const int32_t i : order) result.push_back(of_given[i]);
    return result;
  }
  Var restored(const Var& y) const;  // (B, ...) of the sorted sequences -> of the given ones
};
// Packs sequences of ids, or of rows (n_i, ...) of any element type, in any order. Throws
// ShapeError for an empty sequence, for rows of different shapes or element types, and for an empty
// list of row tensors. (An empty list of ids is allowed.)
Packed pack(const std::vector<std::vector<int32_t>>& sequences, Device device = {});
Packed pack(const std::vector<Tensor>& sequences);

// Brings the rows of a packing into the order sequence by sequence, and back: x (N, ...) -> (N,
// ...), differentiable; i32 rows, such as labels, too. They throw ShapeError for another number of
// rows, and for rows that are known to be in that order already.
Var by_sequence(const Var& x, const Packing& packing);
Var by_step(const Var& x, const Packing& packing);
// For ops that take their rows sequence by sequence: throws ShapeError if the rows of x are known
// to be step by step. And the reverse.
void check_by_sequence(const char* op, const Var& x);
void check_by_step(const char* op, const Var& x);

}  // namespace heed
