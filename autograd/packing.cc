#include "autograd/packing.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "autograd/node.h"
#include "autograd/ops.h"

namespace heed {

template <class Make> Tensor Packing::OnDevices::get(Device device, Make make) const {
  const std::lock_guard lock(mutex_);
  for (const Tensor& tensor : tensors_) {
    if (tensor.device() == device) return tensor;
  }
  return tensors_.emplace_back(Tensor::from(make(), device));
}

Packing::Packing(const std::vector<int32_t>& lengths) {
  const auto made = std::make_shared<Data>();
  Data& data = *made;
  data.lengths = lengths;
  for (size_t i = 0; i < lengths.size(); ++i) {
    check_shape(lengths[i] > 0, "packing: sequence ", i, " has length ", lengths[i],
                ", expected at least 1");
    check_shape(i == 0 || lengths[i] <= lengths[i - 1], "packing: sequence ", i,
                " is longer than the one before it; sort the longest first");
  }
  int64_t running = static_cast<int64_t>(lengths.size());
  for (int64_t t = 0; running > 0 && t < lengths[0]; ++t) {
    while (lengths[running - 1] <= t) --running;
    data.batch_sizes.push_back(running);
    data.offsets.push_back(data.offsets.back() + running);
  }
  data_ = made;
}

Packing Packing::single_step(int64_t batch) {
  check_shape(batch >= 0, "packing: negative number of sequences ", batch);
  Packing result;
  const auto made = std::make_shared<Data>();
  Data& data = *made;
  data.lengths.assign(batch, 1);
  data.batch_sizes = {batch};
  data.offsets = {0, batch};
  result.data_ = made;
  return result;
}

std::vector<int32_t> Packing::last_rows() const {
  std::vector<int32_t> rows(batch());
  for (int64_t b = 0; b < batch(); ++b) rows[b] = static_cast<int32_t>(row(length(b) - 1, b));
  return rows;
}

std::vector<int32_t> Packing::sequence_ids() const {
  std::vector<int32_t> ids(rows());
  for (int64_t t = 0; t < steps(); ++t) {
    for (int64_t b = 0; b < batch_size(t); ++b) ids[row(t, b)] = static_cast<int32_t>(b);
  }
  return ids;
}

std::vector<int32_t> Packing::reversed() const {
  std::vector<int32_t> rows_of(rows());
  for (int64_t t = 0; t < steps(); ++t) {
    for (int64_t b = 0; b < batch_size(t); ++b) {
      rows_of[row(t, b)] = static_cast<int32_t>(row(length(b) - 1 - t, b));
    }
  }
  return rows_of;
}

std::vector<int32_t> Packing::rows_before() const {
  std::vector<int32_t> rows_of;
  for (int64_t t = 1; t < steps(); ++t) {
    for (int64_t b = 0; b < batch_size(t); ++b) {
      rows_of.push_back(static_cast<int32_t>(row(t - 1, b)));
    }
  }
  return rows_of;
}

std::vector<int32_t> Packing::by_sequence() const {
  std::vector<int32_t> rows_of;
  for (int64_t b = 0; b < batch(); ++b) {
    for (int64_t t = 0; t < length(b); ++t) rows_of.push_back(static_cast<int32_t>(row(t, b)));
  }
  return rows_of;
}

std::vector<int32_t> Packing::by_step() const {
  const std::vector<int32_t> rows_of = by_sequence();
  std::vector<int32_t> places(rows_of.size());
  for (size_t i = 0; i < places.size(); ++i) places[rows_of[i]] = static_cast<int32_t>(i);
  return places;
}

Segments Packing::segments(Device device) const {
  return Segments(data_->lengths, device);
}

Tensor Packing::by_sequence(Device device) const {
  return data_->sequences.get(device, [this] { return by_sequence(); });
}

Tensor Packing::by_step(Device device) const {
  return data_->places.get(device, [this] { return by_step(); });
}

Tensor Packing::last_rows(Device device) const {
  return data_->last.get(device, [this] { return last_rows(); });
}

Tensor Packing::rows_before(Device device) const {
  return data_->before.get(device, [this] { return rows_before(); });
}

void Segments::Ranges::add(int64_t length) {
  const int64_t total = offsets.back() + length;
  check_shape(total <= std::numeric_limits<int32_t>::max(), "segments: ", total,
              " scores, more than an i32 can number");
  offsets.push_back(static_cast<int32_t>(total));
}

Segments::Segments(const std::vector<int32_t>& lengths, Device device) {
  Ranges ranges;
  for (int32_t length : lengths) {
    check_shape(length >= 0, "segments: negative length ", length);
    ranges.starts.push_back(ranges.offsets.back());
    ranges.add(length);
  }
  memory_rows_ = ranges.offsets.back();
  offsets_ = starts_ = Tensor::from(ranges.offsets, device);
  ranges_ = std::make_shared<Ranges>(std::move(ranges));
  count_ = std::ssize(lengths);
}

Segments Segments::first(int64_t count) const {
  check_shape(0 <= count && count <= count_, "segments: the first ", count, " of ", count_);
  Segments result = *this;
  result.count_ = count;
  return result;
}

Segments Segments::select(const std::vector<int32_t>& ids) const {
  Ranges ranges;
  for (int32_t id : ids) {
    check_shape(0 <= id && id < count_, "segments: number ", id, " of ", count_);
    ranges.starts.push_back(ranges_->starts[id]);
    ranges.add(length(id));
  }
  Segments result = *this;
  result.offsets_ = Tensor::from(ranges.offsets, offsets_.device());
  result.starts_ = Tensor::from(ranges.starts, offsets_.device());
  result.ranges_ = std::make_shared<Ranges>(std::move(ranges));
  result.count_ = std::ssize(ids);
  result.selected_ = true;
  return result;
}

namespace {

// `lengths` of the given sequences, the longest first.
Packed sorted_by_length(const std::vector<int32_t>& lengths) {
  for (size_t i = 0; i < lengths.size(); ++i) {
    check_shape(lengths[i] > 0, "packing: sequence ", i, " has length ", lengths[i],
                ", expected at least 1");
  }
  Packed packed;
  packed.order.resize(lengths.size());
  std::iota(packed.order.begin(), packed.order.end(), 0);
  std::stable_sort(packed.order.begin(), packed.order.end(),
                   [&](int32_t a, int32_t b) { return lengths[a] > lengths[b]; });
  packed.place.resize(lengths.size());
  for (size_t b = 0; b < lengths.size(); ++b)
    packed.place[packed.order[b]] = static_cast<int32_t>(b);
  packed.packing = Packing(packed.sorted(lengths));
  return packed;
}

void check_rows(const char* op, const Var& x, const Packing& packing) {
  check_shape(x.defined() && x.shape().rank() > 0 && x.shape()[0] == packing.rows(), op, ": x ",
              x.defined() ? x.shape() : Shape{}, " does not fit a packing of ", packing.rows(),
              " rows");
}

}  // namespace

Packed pack(const std::vector<std::vector<int32_t>>& sequences, Device device) {
  std::vector<int32_t> lengths;
  for (const auto& sequence : sequences) lengths.push_back(static_cast<int32_t>(sequence.size()));
  Packed packed = sorted_by_length(lengths);
  std::vector<int32_t> ids;
  for (int64_t t = 0; t < packed.packing.steps(); ++t) {
    for (int64_t b = 0; b < packed.packing.batch_size(t); ++b)
      ids.push_back(sequences[packed.order[b]][t]);
  }
  packed.rows = Var(Tensor::from(ids, device)).in_order(RowOrder::by_step);
  return packed;
}

Packed pack(const std::vector<Tensor>& sequences) {
  check_shape(!sequences.empty(), "pack: needs at least one sequence, for the shape of the rows");
  std::vector<int32_t> lengths;
  for (const Tensor& sequence : sequences) {
    check_shape(sequence.defined() && sequence.shape().rank() > 0, "pack: a sequence needs rows");
    const Shape &first = sequences[0].shape(), &shape = sequence.shape();
    check_shape(first.rank() == shape.rank() && first.with(0, 0) == shape.with(0, 0),
                "pack: rows of different shapes, ", first, " and ", shape);
    check_types("pack", sequences[0], sequence);
    lengths.push_back(static_cast<int32_t>(sequence.shape()[0]));
  }
  Packed packed = sorted_by_length(lengths);
  const std::vector<Tensor> sorted = packed.sorted(sequences);
  const Var all = concat(std::vector<Var>(sorted.begin(), sorted.end()), 0);
  packed.rows = by_step(all, packed.packing);
  return packed;
}

Var Packed::restored(const Var& y) const {
  check_shape(y.shape().rank() > 0 && y.shape()[0] == std::ssize(place), "restored: ", y.shape(),
              " has not one row for each of ", place.size(), " sequences");
  return gather_rows(y, Tensor::from(place, y.device()));
}

Var by_sequence(const Var& x, const Packing& packing) {
  check_rows(CalledOp::or_else("by_sequence"), x, packing);
  check_by_step(CalledOp::or_else("by_sequence"), x);
  return gather_rows(x, packing.by_sequence(x.device())).in_order(RowOrder::by_sequence);
}

Var by_step(const Var& x, const Packing& packing) {
  check_rows("by_step", x, packing);
  check_by_sequence("by_step", x);
  return gather_rows(x, packing.by_step(x.device())).in_order(RowOrder::by_step);
}

void check_by_sequence(const char* op, const Var& x) {
  check_shape(
      !x.defined() || x.row_order() != RowOrder::by_step, op,
      ": expected rows sequence by sequence, got rows step by step, as lstm() and gru() return "
      "them; use by_sequence(x, packing)");
}

void check_by_step(const char* op, const Var& x) {
  check_shape(
      !x.defined() || x.row_order() != RowOrder::by_sequence, op,
      ": expected rows step by step, got rows sequence by sequence; use by_step(x, packing)");
}

}  // namespace heed
