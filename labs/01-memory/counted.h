// A number that tells a model of a cache where it is read and written, so that the misses of a
// kernel can be counted.
#pragma once

#include "labs/01-memory/cache.h"

namespace heed::lab {

inline Cache* watching = nullptr;  // is told, if there is one

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
