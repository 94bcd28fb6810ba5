// Device memory for kernels that a Watch sees.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tensor/cuda/runtime.h"
#include "tensor/cuda/watch.h"
#include "tensor/random.h"

namespace heed {

class WatchedMemory {
 public:
  using Float = Watched<float>;

  explicit WatchedMemory(emulate::Watch& watch) : watch_(watch) {}

  // Numbers between 0 and 1.
  Float* in(const std::string& name, int64_t n) {
    std::vector<float> values(n);
    for (float& v : values) v = static_cast<float>(rng_.uniform());
    Float* const at = out(name, n);
    cuda::upload(at, values.data(), n * int64_t{sizeof(float)});
    return at;
  }
  // Memory that nothing has written.
  Float* out(const std::string& name, int64_t n) {
    auto* const at = static_cast<Float*>(allocate(n * int64_t{sizeof(float)}));
    watch_.name(name, at, n);
    arrays_.push_back({name, at, n});
    return at;
  }
  template <class T> T* array(const std::vector<T>& values) {
    const int64_t bytes = static_cast<int64_t>(values.size() * sizeof(T));
    auto* const at = static_cast<T*>(allocate(bytes));
    cuda::upload(at, values.data(), bytes);
    return at;
  }

  struct Array {
    std::string name;
    const Float* at;
    int64_t n;
  };
  const std::vector<Array>& arrays() const { return arrays_; }

 private:
  struct Free {
    void operator()(std::byte* at) const { cuda::free(at); }
  };

  void* allocate(int64_t bytes) { return blocks_.emplace_back(cuda::allocate(bytes)).get(); }

  emulate::Watch& watch_;
  Rng rng_{1, "watched memory"};
  std::vector<std::unique_ptr<std::byte, Free>> blocks_;
  std::vector<Array> arrays_;
};

}  // namespace heed
