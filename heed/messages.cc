#include "heed/messages.h"

#include <cstdio>

#include "dialog/text/format.h"
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

std::string size_of_model(size_t parameters) {
  const bool millions = parameters >= 1'000'000;
  if (parameters < 1000) return counted(parameters, "parameter");
  char text[48];
  std::snprintf(text, sizeof text, "%.1f %s parameters",
                static_cast<double>(parameters) / (millions ? 1e6 : 1e3),
                millions ? "million" : "thousand");
  return text;
}

std::string perplexity_text(double perplexity) {
  char text[32];
  std::snprintf(text, sizeof text, perplexity < 1e6 ? "%8.2f" : "%8.3g", perplexity);
  return text;
}

}  // namespace heed
