#include "dialog/data/packed_list.h"

#include <cstring>

namespace heed {
namespace {

template <class T> std::string_view bytes_of(const std::vector<T>& list) {
  return {reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T)};
}

uint64_t end_of(std::string_view ends, size_t i) {
  uint64_t end = 0;
  std::memcpy(&end, ends.data() + i * sizeof end, sizeof end);
  return end;
}

}  // namespace

std::string_view PackedBytes::ends() const {
  return shared_ ? shared_ends_.view() : bytes_of(own_ends_);
}

std::string_view PackedBytes::rows() const {
  return shared_ ? shared_rows_.view() : bytes_of(own_rows_);
}

std::string_view PackedBytes::operator[](size_t i) const {
  check_internal(i < size(), "a packed list has fewer elements");
  const uint64_t begin = i == 0 ? 0 : end_of(ends(), i - 1);
  return rows().substr(begin, end_of(ends(), i) - begin);
}

void PackedBytes::push_back(std::string_view row) {
  check_internal(!shared_, "memory of others does not grow");
  own_rows_.insert(own_rows_.end(), row.begin(), row.end());
  own_ends_.push_back(own_rows_.size());
}

}  // namespace heed
