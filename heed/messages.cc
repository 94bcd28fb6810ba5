#include "heed/messages.h"

#include <cstdio>

#include "dialog/text/terminal.h"

namespace heed {

void print_error(const std::string& message) {
  std::fprintf(stderr, "heed: %s\n", printable(message).c_str());
}

void warn(const std::string& message) {
  print_error("warning: " + message);
}

void note(const std::string& message) {
  print_error("note: " + message);
}

}  // namespace heed
