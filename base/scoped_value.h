// A variable that holds another value until the end of a scope.
#pragma once

#include <utility>

namespace heed {

// While one exists, `place` holds `value`. The destructor restores what it held before.
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
