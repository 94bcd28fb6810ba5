#include "autograd/packing.h"

#include <limits>

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

Tensor Packing::last_rows(Device device) const {
  return data_->last.get(device, [this] { return last_rows(); });
}

Tensor Packing::rows_before(Device device) const {
  return data_->before.get(device, [this] { return rows_before(); });
}

Tensor Packing::offsets(Device device) const {
  return data_->starts.get(device, [this] {
    return std::vector<int32_t>(data_->offsets.begin(), data_->offsets.end());
  });
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

}  // namespace heed
