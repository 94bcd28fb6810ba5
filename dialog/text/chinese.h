// Chinese characters, which are written without spaces between words.
#pragma once

#include <algorithm>
#include <iterator>
#include <utility>

namespace heed {

// The blocks of Chinese characters, without those of Japanese and Korean, which use spaces or
// follow other rules.
inline bool is_chinese(char32_t c) {
  constexpr std::pair<char32_t, char32_t> kBlocks[] = {
      {0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F},
      {0x2B740, 0x2B81F}, {0x2B820, 0x2CEAF}, {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};
  return std::any_of(std::begin(kBlocks), std::end(kBlocks),
                     [c](const auto& block) { return block.first <= c && c <= block.second; });
}

}  // namespace heed
