#include "tensor/stored.h"

#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/error.h"

namespace heed {
namespace {

static_assert(std::endian::native == std::endian::little, "files have little-endian numbers");

// IEEE 754 binary16: 1 bit of sign, 5 of exponent, 10 of fraction.
struct Half {
  uint16_t bits;
  operator float() const {
    const uint32_t sign = uint32_t{bits} >> 15 << 31, exponent = bits >> 10 & 31;
    const uint32_t fraction = bits & 1023;
    if (exponent == 0) {  // zero or subnormal: fraction * 2^-24
      const float size = static_cast<float>(fraction) * 0x1p-24f;
      return sign ? -size : size;
    }
    const uint32_t wide = exponent == 31 ? 255 : exponent + 112;  // biases 15 and 127
    return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
  }
};

// The upper half of an f32.
struct Brain {
  uint16_t bits;
  operator float() const { return std::bit_cast<float>(uint32_t{bits} << 16); }
};

struct Boolean {  // anything but 0 is true
  uint8_t bits;
  operator int32_t() const { return bits != 0; }
};

// What a tensor has for it.
template <class From> struct Becomes { using Type = int32_t; };
template <> struct Becomes<Half> { using Type = float; };
template <> struct Becomes<Brain> { using Type = float; };
template <> struct Becomes<float> { using Type = float; };
template <> struct Becomes<double> { using Type = double; };

// f of a value of the type.
template <class F> decltype(auto) visit(Stored type, F f) {
  switch (type) {
    case Stored::f16: return f(Half{});
    case Stored::bf16: return f(Brain{});
    case Stored::f32: return f(float{});
    case Stored::f64: return f(double{});
    case Stored::boolean: return f(Boolean{});
    case Stored::i8: return f(int8_t{});
    case Stored::u8: return f(uint8_t{});
    case Stored::i16: return f(int16_t{});
    case Stored::u16: return f(uint16_t{});
    case Stored::i32: return f(int32_t{});
    case Stored::u32: return f(uint32_t{});
    case Stored::i64: return f(int64_t{});
    default: return f(uint64_t{});
  }
}

template <class From> void read(const Tensor& t, std::string_view bytes, const std::string& what) {
  using To = typename Becomes<From>::Type;
  To* const to = t.data<To>();
  for (int64_t i = 0; i < t.numel(); ++i) {
    From value;
    std::memcpy(&value, bytes.data() + i * sizeof(From), sizeof(From));
    if constexpr (std::is_integral_v<From>) {
      if (!std::in_range<int32_t>(value)) {
        throw DataError(
            text(what, ": element ", i, " is ", value, ", which does not fit into 32 bits"));
      }
    }
    // NOLINTNEXTLINE(bugprone-signed-char-misuse,cert-str34-c): an int8_t is a number here
    to[i] = static_cast<To>(value);
  }
}

}  // namespace

int64_t size_of(Stored type) {
  return visit(type, [](auto x) { return static_cast<int64_t>(sizeof x); });
}

DType dtype_of(Stored type) {
  return visit(type, [](auto x) { return DTypeOf<typename Becomes<decltype(x)>::Type>::value; });
}

Tensor tensor_of(std::string_view bytes, Stored type, Shape shape, const std::string& what) {
  check_internal(static_cast<int64_t>(bytes.size()) == shape.numel() * size_of(type),
                 "the bytes do not fit the shape");
  const Tensor t = Tensor::empty(shape, dtype_of(type));
  visit(type, [&](auto x) { read<decltype(x)>(t, bytes, what); });
  return t;
}

}  // namespace heed
