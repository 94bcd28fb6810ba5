// Numbers, texts and lists as bytes, for another process of the same program.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tensor/error.h"

namespace heed {

class BytesOut {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { append(&value, sizeof value); }
  void put_text(std::string_view text) {
    put(text.size());
    bytes_ += text;
  }
  template <class T> void put_list(const std::vector<T>& list) {
    static_assert(std::is_trivially_copyable_v<T>);
    put(list.size());
    append(list.data(), list.size() * sizeof(T));
  }
  void append(const void* bytes, size_t size) {
    bytes_.append(static_cast<const char*>(bytes), size);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Reads what BytesOut has written, in the same order. Throws InternalError at the end of the bytes.
class BytesIn {
 public:
  explicit BytesIn(std::string_view bytes) : rest_(bytes) {}

  template <class T> T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    copy(&value, sizeof value);
    return value;
  }
  std::string get_text() { return std::string(take(get<size_t>())); }
  template <class T> std::vector<T> get_list() {
    const auto size = get<size_t>();
    check_internal(size <= rest_.size() / sizeof(T), "a message of a rank ends too early");
    std::vector<T> list(size);
    copy(list.data(), size * sizeof(T));
    return list;
  }
  void copy(void* to, size_t size) {
    const std::string_view part = take(size);
    if (size > 0) std::memcpy(to, part.data(), size);
  }
  bool done() const { return rest_.empty(); }

 private:
  std::string_view take(size_t size) {
    check_internal(size <= rest_.size(), "a message of a rank ends too early");
    const std::string_view part = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return part;
  }

  std::string_view rest_;
};

}  // namespace heed
