// Errors. Four types are for mistakes of the user, InternalError is for bugs in heed. The message
// names the op or the file, what was given, and the rule:
//   matmul: inner axes differ, (2, 3) times (4, 5)
#pragma once

#include <charconv>
#include <concepts>
#include <stdexcept>
#include <string>

namespace heed {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct ShapeError : Error {  // shapes or element types that do not fit the op
  using Error::Error;
};
struct DeviceError : Error {  // no such device, out of memory, tensors on different devices
  using Error::Error;
};
struct DataError : Error {  // a file or its content; begins with "file:line: " where there is one
  using Error::Error;
};
struct UsageError : Error {  // flags and options that make no sense
  using Error::Error;
};
struct InternalError : Error {  // a bug in heed
  using Error::Error;
};

// A part of an error message: text, a number, or an object with str(), such as a Shape.
inline const char* text_of(const char* text) {
  return text;
}
inline const std::string& text_of(const std::string& text) {
  return text;
}
template <std::integral T> std::string text_of(T number) {
  return std::to_string(number);
}
inline std::string text_of(double number) {  // with up to 10 digits
  char digits[32];
  return {digits, std::to_chars(digits, digits + 32, number, std::chars_format::general, 10).ptr};
}
template <class T>
requires requires(const T& x) {
  x.str();
}
std::string text_of(const T& x) {
  return x.str();
}

template <class... Parts> std::string text(const Parts&... parts) {
  std::string all;
  ((all += text_of(parts)), ...);
  return all;
}

// Throws ShapeError unless `ok`. Its message is made of the parts, which are joined only in that
// case:
//   check_shape(a.shape() == b.shape(), "add: shapes differ, ", a.shape(), " and ", b.shape());
template <class... Parts> void check_shape(bool ok, const Parts&... parts) {
  if (!ok) [[unlikely]]
    throw ShapeError(text(parts...));
}
inline void check_internal(bool ok, const char* message) {
  if (!ok) throw InternalError(std::string("internal error: ") + message);
}

}  // namespace heed
