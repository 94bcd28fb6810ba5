// A value that has another one for a while.
#pragma once

#include <utility>

namespace heed {

// While one exists, `place` has another value; it gets its own back at the end.
template <class T> class Exchanged {
 public:
  Exchanged(T& place, T value) : place_(place), before_(std::exchange(place, value)) {}
  ~Exchanged() { place_ = before_; }
  Exchanged(const Exchanged&) = delete;
  Exchanged& operator=(const Exchanged&) = delete;

 private:
  T& place_;
  const T before_;
};

}  // namespace heed
