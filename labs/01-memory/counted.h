// A number that tells where it is read and written, so that the misses of a kernel can be counted.
#pragma once

#include <cstdint>

namespace heed::lab {

// Is told of each read and write, by the thread that does it.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void touch(const void* at, int64_t bytes) = 0;
};

inline Watcher* watching = nullptr;  // is told, if there is one

// As long as it lives, the watcher is told.
struct Watch {
  explicit Watch(Watcher* watcher) { watching = watcher; }
  ~Watch() { watching = nullptr; }
};

// An f32 in all other ways.
class Counted {
 public:
  // As an f32 that nobody has set.
  // cppcheck-suppress uninitMemberVar
  Counted() = default;
  Counted(double value) : value_(static_cast<float>(value)) { touch(); }
  Counted(const Counted& other) : value_(other) { touch(); }
  Counted& operator=(const Counted& other) {
    value_ = other;
    touch();
    return *this;
  }
  Counted& operator+=(float more) {
    value_ += more;
    touch();
    return *this;
  }
  operator float() const {
    touch();
    return value_;
  }

 private:
  void touch() const {
    if (watching) watching->touch(this, sizeof *this);
  }

  float value_;
};

}  // namespace heed::lab
