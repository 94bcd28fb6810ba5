// Errors. What a user can get wrong is one of four types; InternalError is for our own mistakes.
// The text names the op or the file, what was given, and the rule:
//   matmul: inner axes differ, (2, 3) times (4, 5)
#pragma once

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

inline void check_shape(bool ok, const std::string& message) {
  if (!ok) throw ShapeError(message);
}
inline void check_internal(bool ok, const char* message) {
  if (!ok) throw InternalError(std::string("internal error: ") + message);
}

}  // namespace heed
