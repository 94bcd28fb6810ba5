// Watched<float>: a float that reports reads and writes. A kernel that is a template runs as
// kernel<Watched<float>>, with every access to memory seen. It has the size and layout of T, also
// in arrays. Reports go to `saw`, which a Watch sets (watch.h); a model of a cache may, too.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

// Inlined even without optimisation, so that the kernel calls saw() directly: the place in the code
// distinguishes accesses.
#define EMULATOR_SEEN [[gnu::always_inline]] inline

namespace emulator {

enum class Does : uint8_t { read, write, update };  // an update is atomic
inline void (*saw)(const void* at, int64_t bytes, Does does) = nullptr;
// The place in a kernel's code of the last checked access; for a fault, its place.
inline const void* accessed_from = nullptr;

// In a namespace of its own, so that a call with such arguments finds no function of emulator, such
// as launch(), beside the caller's own.
namespace elements {

template <class T> class Watched {
  static_assert(std::is_floating_point_v<T>);
  // T and U give the same results as without Watched, but T stays watched.
  template <class U>
  using With = std::conditional_t<std::is_same_v<std::common_type_t<T, U>, T>, Watched,
                                  std::common_type_t<T, U>>;

 public:
  Watched() = default;
  EMULATOR_SEEN Watched(T value) : value_(value) {}
  EMULATOR_SEEN Watched(const Watched& other) : value_(other) {}
  EMULATOR_SEEN operator T() const {
    report(Does::read);
    return value_;
  }
  EMULATOR_SEEN Watched& operator=(T value) {
    report(Does::write);
    value_ = value;
    return *this;
  }
  EMULATOR_SEEN Watched& operator=(const Watched& other) { return *this = T(other); }
  EMULATOR_SEEN Watched operator-() const { return -T(*this); }
  // *this = f(*this), returning the value before.
  template <class F> EMULATOR_SEEN T update(F f) {
    report(Does::update);
    const T old = value_;
    value_ = f(old);
    return old;
  }

#define EMULATOR_WATCHED_OPERATOR(op)                                                           \
  EMULATOR_SEEN friend Watched operator op(const Watched& a, const Watched& b) {                \
    return T(a) op T(b);                                                                        \
  }                                                                                             \
  template <class U>                                                                            \
  requires std::is_arithmetic_v<U> EMULATOR_SEEN friend With<U> operator op(const Watched& a,   \
                                                                            U b) {              \
    return T(a) op b;                                                                           \
  }                                                                                             \
  template <class U>                                                                            \
  requires std::is_arithmetic_v<U> EMULATOR_SEEN friend With<U> operator op(U a,                \
                                                                            const Watched& b) { \
    return a op T(b);                                                                           \
  }                                                                                             \
  template <class U> EMULATOR_SEEN Watched& operator op##=(const U& b) {                        \
    return *this = static_cast<T>(T(*this) op b);                                               \
  }
  EMULATOR_WATCHED_OPERATOR(+)
  EMULATOR_WATCHED_OPERATOR(-)
  EMULATOR_WATCHED_OPERATOR(*)
  EMULATOR_WATCHED_OPERATOR(/)
#undef EMULATOR_WATCHED_OPERATOR

 private:
  EMULATOR_SEEN void report(Does does) const {
    if (saw) saw(&value_, sizeof(T), does);
  }

  T value_;
};

}  // namespace elements

using elements::Watched;

}  // namespace emulator

template <class T> struct std::numeric_limits<emulator::Watched<T>> : std::numeric_limits<T> {};
