#pragma once

#include <cctype>

namespace heed {

// Whether a byte of a UTF-8 text is of a word: a letter or digit of ASCII, or of any sign that is
// not ASCII.
inline bool is_of_word(char byte) {
  const auto c = static_cast<unsigned char>(byte);
  return c >= 128 || std::isalnum(c);
}

}  // namespace heed
