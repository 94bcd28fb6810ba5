// Device memory whose arrays a Watch knows by name. Each array is a separate block with room around
// it, so that accesses out of bounds are found.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "emulator/memory.h"
#include "emulator/watch.h"

namespace emulator {

class WatchedMemory {
 public:
  using Float = Watched<float>;

  explicit WatchedMemory(Watch& watch) : watch_(watch) {}

  Float* put(const std::string& name, const std::vector<float>& values) {
    Float* const at = unwritten(name, std::ssize(values));
    copy(at, values.data(), bytes_of(values));
    return at;
  }
  Float* unwritten(const std::string& name, int64_t n) {
    std::byte* const block = take(n * int64_t{sizeof(float)} + 2 * kRoom);
    auto* const at = reinterpret_cast<Float*>(block + kRoom);
    arrays_[name] = {at, n};
    watch_.name(name, at, n);
    return at;
  }
  std::vector<float> get(const std::string& name) const {
    const Array& array = arrays_.at(name);
    std::vector<float> values(array.n);
    copy(values.data(), array.at, bytes_of(values));
    return values;
  }

  // An array without a name that is not watched, such as indices.
  template <class T> T* array(const std::vector<T>& values) {
    auto* const at = reinterpret_cast<T*>(take(bytes_of(values)));
    copy(at, values.data(), bytes_of(values));
    return at;
  }

  struct Array {
    const Float* at = nullptr;
    int64_t n = 0;
  };
  const std::map<std::string, Array>& arrays() const { return arrays_; }

 private:
  struct Free {
    void operator()(std::byte* at) const { emulator::free(at); }
  };

  template <class T> static int64_t bytes_of(const std::vector<T>& values) {
    return static_cast<int64_t>(values.size() * sizeof(T));
  }
  std::byte* take(int64_t bytes) { return blocks_.emplace_back(allocate(bytes)).get(); }

  static constexpr int64_t kRoom = 4096;  // bytes, below and above

  Watch& watch_;
  std::map<std::string, Array> arrays_;
  std::vector<std::unique_ptr<std::byte, Free>> blocks_;
};

}  // namespace emulator
