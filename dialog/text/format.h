// Numbers formatted for people.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>

namespace heed {

// "12.35", or "1.24e+15" of numbers that have no digits after the point.
inline std::string decimal(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  char text[64];
  std::snprintf(text, sizeof text, std::abs(value) < 1e15 ? "%.*f" : "%.*e", digits, value);
  const bool zero = std::string_view(text).find_first_of("123456789") == std::string_view::npos;
  return zero && text[0] == '-' ? text + 1 : text;  // no "-0.0"
}

// "1 dialogue", "2 dialogues"
template <class Integer> std::string counted(Integer count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

inline std::string percent_text(double as) {
  return std::isfinite(as) ? decimal(100 * std::clamp(as, 0.0, 99.99), 0) + " %" : "-";
}

// "850 parameters", "12.3 thousand parameters", "4.6 million parameters".
inline std::string size_of_model(double parameters) {
  if (parameters < 1000) return counted(static_cast<size_t>(parameters), "parameter");
  const bool millions = parameters >= 1e6;
  return decimal(parameters / (millions ? 1e6 : 1e3), 1) + (millions ? " million" : " thousand") +
         " parameters";
}

// "  123.45", or "6.61e+11" instead of a long row of digits.
inline std::string perplexity_text(double perplexity) {
  char text[32];
  std::snprintf(text, sizeof text, perplexity < 1e6 ? "%8.2f" : "%8.3g", perplexity);
  return text;
}

}  // namespace heed
