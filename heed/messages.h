// Lines for people. Text that they quote from files is escaped, so that it has no effect on a
// terminal.
#pragma once

#include <cstdio>
#include <string>

#include "dialog/text/terminal.h"

namespace heed {

// Text on standard output, as it is.
inline void print_text(const std::string& text) {
  std::fputs(text.c_str(), stdout);
}

// "heed: ..." on standard error, one line.
inline void print_error(const std::string& message) {
  std::fprintf(stderr, "heed: %s\n", printable(message).c_str());
}
inline void warn(const std::string& message) {
  print_error("warning: " + message);
}
inline void note(const std::string& message) {
  print_error("note: " + message);
}

}  // namespace heed
