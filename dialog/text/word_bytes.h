#pragma once

#include <cctype>
#include <string>
#include <string_view>

namespace heed {

// Whether a byte of a UTF-8 text is of a word: a letter or digit of ASCII, or of any sign that is
// not ASCII.
inline bool is_of_word(char byte) {
  const auto c = static_cast<unsigned char>(byte);
  return c >= 128 || std::isalnum(c);
}

// The text with the capital letters of ASCII in lower case: as many bytes.
inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

}  // namespace heed
