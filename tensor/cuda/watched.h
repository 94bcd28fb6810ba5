// Watched<float>: a float that reports when it is read and written. Kernels are templates, so
// kernel<Watched<float>> is the same kernel with every access to memory seen; it has the size of T,
// and arrays of it lie in memory as arrays of T do. What is reported goes to `saw`, which a Watch
// of the emulation sets (tensor/cuda/watch.h); a model of a cache may, too.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

// Inlined even without optimisation, so that what calls saw() is the kernel: the place in the code
// tells accesses apart.
#define HEED_SEEN [[gnu::always_inline]] inline

namespace heed {
namespace emulate {

enum class Does : uint8_t { read, write, update };  // an update is atomic
inline void (*saw)(const void* at, int64_t bytes, Does does) = nullptr;
// Where in the code of a kernel the last access stands that was checked: of a fault, the place.
inline const void* accessed_from = nullptr;

}  // namespace emulate

template <class T> class Watched {
  static_assert(std::is_floating_point_v<T>);
  // T and U give what they give without Watched, but that T stays watched.
  template <class U>
  using With = std::conditional_t<std::is_same_v<std::common_type_t<T, U>, T>, Watched,
                                  std::common_type_t<T, U>>;

 public:
  Watched() = default;
  HEED_SEEN Watched(T value) : value_(value) {}
  HEED_SEEN Watched(const Watched& other) : value_(other) {}
  HEED_SEEN operator T() const {
    report(emulate::Does::read);
    return value_;
  }
  HEED_SEEN Watched& operator=(T value) {
    report(emulate::Does::write);
    value_ = value;
    return *this;
  }
  HEED_SEEN Watched& operator=(const Watched& other) { return *this = T(other); }
  HEED_SEEN Watched operator-() const { return -T(*this); }
  // *this = f(*this), returning the value before.
  template <class F> HEED_SEEN T update(F f) {
    report(emulate::Does::update);
    const T old = value_;
    value_ = f(old);
    return old;
  }

#define HEED_WATCHED_OPERATOR(op)                                                                \
  HEED_SEEN friend Watched operator op(const Watched& a, const Watched& b) {                     \
    return T(a) op T(b);                                                                         \
  }                                                                                              \
  template <class U>                                                                             \
  requires std::is_arithmetic_v<U> HEED_SEEN friend With<U> operator op(const Watched& a, U b) { \
    return T(a) op b;                                                                            \
  }                                                                                              \
  template <class U>                                                                             \
  requires std::is_arithmetic_v<U> HEED_SEEN friend With<U> operator op(U a, const Watched& b) { \
    return a op T(b);                                                                            \
  }                                                                                              \
  template <class U> HEED_SEEN Watched& operator op##=(const U& b) {                             \
    return *this = static_cast<T>(T(*this) op b);                                                \
  }
  HEED_WATCHED_OPERATOR(+)
  HEED_WATCHED_OPERATOR(-)
  HEED_WATCHED_OPERATOR(*)
  HEED_WATCHED_OPERATOR(/)
#undef HEED_WATCHED_OPERATOR

 private:
  HEED_SEEN void report(emulate::Does does) const {
    if (emulate::saw) emulate::saw(&value_, sizeof(T), does);
  }

  T value_;
};

}  // namespace heed

template <class T> struct std::numeric_limits<heed::Watched<T>> : std::numeric_limits<T> {};
