// UTF-8, strictly: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heed {

constexpr char32_t kReplacement = 0xFFFD;  // stands for a byte that is not UTF-8
constexpr char32_t kInvalid = 0xFFFFFFFF;

// Returns the code point that starts at text[at] and moves `at` past it. For a byte that starts
// none, returns kInvalid and moves `at` by one.
inline char32_t next_code_point(std::string_view text, size_t& at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at++);
  if (lead < 0x80) return lead;
  const size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  if (lead < 0xC2 || lead > 0xF4 || text.size() - at < more) return kInvalid;
  char32_t c = lead & (0x3F >> more);
  for (size_t i = 0; i < more; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return kInvalid;
    c = c << 6 | (byte(at + i) & 0x3F);
  }
  constexpr char32_t kSmallest[] = {0, 0x80, 0x800, 0x10000};
  if (c < kSmallest[more] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) return kInvalid;
  at += more;
  return c;
}

// Writes the one to four bytes of c and returns a pointer past them.
inline char* write_utf8(char* out, char32_t c) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) {
    *out++ = static_cast<char>(c);
  } else if (c < 0x800) {
    *out++ = static_cast<char>(0xC0 | c >> 6);
    *out++ = tail(0);
  } else if (c < 0x10000) {
    *out++ = static_cast<char>(0xE0 | c >> 12);
    *out++ = tail(6);
    *out++ = tail(0);
  } else {
    *out++ = static_cast<char>(0xF0 | c >> 18);
    *out++ = tail(12);
    *out++ = tail(6);
    *out++ = tail(0);
  }
  return out;
}

inline int64_t count_code_points(std::string_view text) {
  int64_t count = 0;
  for (size_t at = 0; at < text.size(); ++count) next_code_point(text, at);
  return count;
}

inline bool is_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    if (next_code_point(text, at) == kInvalid) return false;
  }
  return true;
}

}  // namespace heed
