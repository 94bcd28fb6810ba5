// A value that has another one for a while.
#pragma once

#include <utility>

namespace heed {

// While one exists, `place` has another value; it gets its own back at the end.
template <class T> class ScopedValue {
 public:
  ScopedValue(T& place, T value) : place_(place), before_(std::exchange(place, value)) {}
  ~ScopedValue() { place_ = before_; }
  ScopedValue(const ScopedValue&) = delete;
  ScopedValue& operator=(const ScopedValue&) = delete;

 private:
  T& place_;
  const T before_;
};

}  // namespace heed
