// Bytes of memory, and numbers, texts and lists as bytes, for another process of the same program.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "tensor/allocator.h"

namespace heed {

// A block of `size` bytes, uninitialised. It comes from the tensors' cache: a step that asks for as
// many bytes as the step before needs no new pages.
class Bytes {
 public:
  explicit Bytes(size_t size = 0)
      : memory_(size > 0 ? allocate(static_cast<int64_t>(size)) : nullptr), size_(size) {}
  Bytes(std::shared_ptr<std::byte> memory, size_t size) : memory_(std::move(memory)), size_(size) {}

  char* data() const { return reinterpret_cast<char*>(memory_.get()); }
  size_t size() const { return size_; }
  std::string_view view() const { return {data(), size_}; }

 private:
  std::shared_ptr<std::byte> memory_;
  size_t size_;
};

// Equal values have equal bytes: a struct has no padding between its members, whose bytes would be
// indeterminate.
template <class T>
concept HasNoPadding = std::is_trivially_copyable_v<T> &&
    (std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);

// out(a, b) writes values and in(a, b) reads them: numbers, texts, lists, maps, optional values,
// and structs for which a function, the same for both, names the members:
//   void each_member(auto& bytes, Struct& s) { bytes(s.a, s.b); }

// It can be moved, not copied: a copy would write to the same memory.
class BytesOut {
 public:
  BytesOut() = default;
  BytesOut(BytesOut&&) = default;
  BytesOut& operator=(BytesOut&&) = default;

  // Allocates `size` bytes in advance; otherwise the memory doubles whenever it is full.
  void reserve(size_t size) {
    if (size <= memory_.size()) return;
    const Bytes larger(size);
    if (size_ > 0) std::memcpy(larger.data(), memory_.data(), size_);
    memory_ = larger;
  }
  template <class... T> void operator()(const T&... values) { (write(values), ...); }
  template <HasNoPadding T> void put(const T& value) { append(&value, sizeof value); }
  void put_text(std::string_view text) {
    put(text.size());
    append(text.data(), text.size());
  }
  template <HasNoPadding T> void put_list(const std::vector<T>& list) {
    put(list.size());
    append(list.data(), list.size() * sizeof(T));
  }
  void append(const void* bytes, size_t size) {
    if (size == 0) return;
    if (size > memory_.size() - size_) reserve(std::max(size_ + size, 2 * memory_.size()));
    std::memcpy(memory_.data() + size_, bytes, size);
    size_ += size;
  }
  std::string_view bytes() const { return {memory_.data(), size_}; }  // as long as this lives

 private:
  template <class T> void write(const T& value) {
    if constexpr (HasNoPadding<T>) {
      put(value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      put_text(value);
    } else if constexpr (requires { value.has_value(); }) {
      put(value.has_value());
      if (value) write(*value);
    } else if constexpr (requires { typename T::mapped_type; }) {
      put(value.size());
      for (const auto& [key, one] : value) (*this)(key, one);
    } else if constexpr (requires { put_list(value); }) {
      put_list(value);
    } else if constexpr (requires { value.begin(); }) {
      put(value.size());
      for (const auto& one : value) write(one);
    } else {
      each_member(*this, const_cast<T&>(value));  // which reads it
    }
  }

  Bytes memory_;
  size_t size_ = 0;
};

// Reads what BytesOut has written, in the same order. Throws InternalError at the end of the bytes.
class BytesIn {
 public:
  explicit BytesIn(std::string_view bytes) : rest_(bytes) {}

  template <class... T> void operator()(T&... values) { (read(values), ...); }
  template <class T> T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    copy(&value, sizeof value);
    return value;
  }
  std::string get_text() { return std::string(take(get<size_t>())); }
  template <class T> std::vector<T> get_list() {
    const auto size = get<size_t>();
    check_internal(size <= rest_.size() / sizeof(T), "bytes end in the middle of a value");
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
  template <class T> void read(T& value) {
    if constexpr (HasNoPadding<T>) {
      copy(&value, sizeof value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = get_text();
    } else if constexpr (requires { value.has_value(); }) {
      value.reset();
      if (get<bool>()) read(value.emplace());
    } else if constexpr (requires { typename T::mapped_type; }) {
      value.clear();
      for (auto left = get<size_t>(); left > 0; --left) {
        typename T::key_type key;
        read(key);
        read(value[key]);
      }
    } else if constexpr (requires { requires HasNoPadding<typename T::value_type>; }) {
      value = get_list<typename T::value_type>();
    } else if constexpr (requires { value.begin(); }) {
      value.resize(get<size_t>());
      for (auto& one : value) read(one);
    } else {
      each_member(*this, value);
    }
  }
  std::string_view take(size_t size) {
    check_internal(size <= rest_.size(), "bytes end in the middle of a value");
    const std::string_view part = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return part;
  }

  std::string_view rest_;
};

}  // namespace heed
