#include "dialog/tokenizer.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "dialog/utf8.h"

namespace heed {
namespace {

enum class Kind : char { kDropped, kSpace, kLetter, kSign };

struct Range {
  char32_t first, last;
};

// Signs above U+007F; whatever is in none of these ranges belongs to words: the letters, digits and
// combining marks of all scripts. In the order of code points, as are the tables below.
constexpr Range kSigns[] = {
    {0x80, 0xA9},     {0xAB, 0xB1},       {0xB4, 0xB4},       {0xB6, 0xB8},       {0xBB, 0xBB},
    {0xBF, 0xBF},     {0xD7, 0xD7},       {0xF7, 0xF7},       {0x2C2, 0x2C5},     {0x2D2, 0x2DF},
    {0x2E5, 0x2EB},   {0x2ED, 0x2ED},     {0x2EF, 0x2FF},     {0x37E, 0x37E},     {0x384, 0x385},
    {0x387, 0x387},   {0x482, 0x482},     {0x55A, 0x55F},     {0x589, 0x58F},     {0x5BE, 0x5BE},
    {0x5F3, 0x5F4},   {0x600, 0x60F},     {0x61B, 0x61F},     {0x66A, 0x66D},     {0x6D4, 0x6D4},
    {0x964, 0x965},   {0xE3F, 0xE3F},     {0xE4F, 0xE4F},     {0x2000, 0x206F},   {0x207A, 0x207E},
    {0x208A, 0x208E}, {0x20A0, 0x20CF},   {0x2100, 0x2101},   {0x2103, 0x2106},   {0x2108, 0x2109},
    {0x2114, 0x2114}, {0x2116, 0x2118},   {0x211E, 0x2123},   {0x2125, 0x2125},   {0x2127, 0x2127},
    {0x212E, 0x212E}, {0x2190, 0x245F},   {0x249C, 0x24E9},   {0x2500, 0x2775},   {0x2794, 0x2BFF},
    {0x2E00, 0x2E7F}, {0x3001, 0x3004},   {0x3008, 0x3020},   {0x3030, 0x3030},   {0x309B, 0x309C},
    {0x30FB, 0x30FB}, {0x3200, 0x33FF},   {0xD800, 0xF8FF},   {0xFD3E, 0xFD3F},   {0xFE10, 0xFE1F},
    {0xFE30, 0xFE6F}, {0xFEFF, 0xFF0F},   {0xFF1A, 0xFF20},   {0xFF3B, 0xFF40},   {0xFF5B, 0xFF65},
    {0xFFE0, 0xFFFF}, {0x1F000, 0x1F0FF}, {0x1F10D, 0x1FAFF}, {0xE0000, 0x10FFFF}};

// Capital letters first, first + stride, ..., last; the small letter is `delta` further on.
struct CaseRange {
  char32_t first, last;
  int stride, delta;
};
constexpr CaseRange kCapitals[] = {
    // Latin-1
    {0xC0, 0xD6, 1, 32},
    {0xD8, 0xDE, 1, 32},
    // Latin Extended-A
    {0x100, 0x12E, 2, 1},
    {0x130, 0x130, 1, 'i' - 0x130},
    {0x132, 0x136, 2, 1},
    {0x139, 0x147, 2, 1},
    {0x14A, 0x176, 2, 1},
    {0x178, 0x178, 1, 0xFF - 0x178},
    {0x179, 0x17D, 2, 1},
    // Latin Extended-B, the regular pairs
    {0x1A0, 0x1A4, 2, 1},
    {0x1AF, 0x1AF, 1, 1},
    {0x1B3, 0x1B5, 2, 1},
    {0x1BC, 0x1BC, 1, 1},
    {0x1CD, 0x1DB, 2, 1},
    {0x1DE, 0x1EE, 2, 1},
    {0x1F4, 0x1F4, 1, 1},
    {0x1F8, 0x21E, 2, 1},
    {0x222, 0x232, 2, 1},
    // Greek
    {0x386, 0x386, 1, 38},
    {0x388, 0x38A, 1, 37},
    {0x38C, 0x38C, 1, 64},
    {0x38E, 0x38F, 1, 63},
    {0x391, 0x3A1, 1, 32},
    {0x3A3, 0x3AB, 1, 32},
    // Cyrillic
    {0x400, 0x40F, 1, 80},
    {0x410, 0x42F, 1, 32},
    {0x460, 0x480, 2, 1},
    {0x48A, 0x4BE, 2, 1},
    {0x4C0, 0x4C0, 1, 15},
    {0x4C1, 0x4CD, 2, 1},
    {0x4D0, 0x52E, 2, 1}};

// The range of a sorted table that holds c, or null.
template <class AnyRange, size_t N>
const AnyRange* find_range(const AnyRange (&table)[N], char32_t c) {
  const AnyRange* range = std::lower_bound(
      std::begin(table), std::end(table), c,
      [](const AnyRange& candidate, char32_t value) { return candidate.last < value; });
  return range != std::end(table) && range->first <= c ? range : nullptr;
}

constexpr std::string_view kNoBlankBefore[] = {".", ",", "!", "?", ";", ":", ")", "]",
                                               "}", "%", "…", "'", "’", "-", "/"};
constexpr std::string_view kNoBlankAfter[] = {"(", "[", "{", "'", "’", "-", "/"};

constexpr Kind ascii_kind(char32_t c) {
  if ((c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20)) return Kind::kSpace;
  if (c < 0x20 || c == 0x7F) return Kind::kDropped;
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || (c >= '0' && c <= '9') || c == '_' ? Kind::kLetter : Kind::kSign;
}

constexpr auto kAsciiKinds = [] {
  std::array<Kind, 128> kinds{};
  for (char32_t c = 0; c < kinds.size(); ++c) kinds[c] = ascii_kind(c);
  return kinds;
}();

Kind kind_of(char32_t c) {
  if (c < kAsciiKinds.size()) return kAsciiKinds[c];
  if (is_white_space(c)) return Kind::kSpace;
  return find_range(kSigns, c) ? Kind::kSign : Kind::kLetter;
}

char32_t lower_case(char32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
  const CaseRange* range = find_range(kCapitals, c);
  const bool capital = range && (c - range->first) % static_cast<char32_t>(range->stride) == 0;
  return capital ? c + static_cast<char32_t>(range->delta) : c;
}

}  // namespace

bool is_white_space(char32_t c) {
  if (c < kAsciiKinds.size()) return kAsciiKinds[c] == Kind::kSpace;
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

const std::vector<std::string_view>& Tokenizer::operator()(std::string_view text) {
  tokens_.clear();
  // Lower-casing never makes a character longer; a byte that is not UTF-8 becomes three.
  if (buffer_.size() < 3 * text.size()) buffer_.resize(3 * text.size());
  char* out = buffer_.data();
  const char* token = out;
  const auto end_token = [&] {
    if (out != token) tokens_.emplace_back(token, static_cast<size_t>(out - token));
    token = out;
  };
  for (size_t at = 0; at < text.size();) {
    char32_t c = next_code_point(text, at);
    c = c == kInvalid ? kReplacement : lower_case(c);
    const Kind kind = kind_of(c);
    if (kind == Kind::kDropped) continue;
    if (kind != Kind::kLetter) end_token();
    if (kind == Kind::kSpace) continue;
    out = write_utf8(out, c);
    if (kind == Kind::kSign) end_token();
  }
  end_token();
  return tokens_;
}

std::vector<std::string> tokenize(std::string_view text) {
  Tokenizer tokenizer;
  const std::vector<std::string_view>& tokens = tokenizer(text);
  return {tokens.begin(), tokens.end()};
}

std::string detokenize(const std::vector<std::string>& tokens) {
  const auto is_in = [](const auto& list, std::string_view token) {
    return std::find(std::begin(list), std::end(list), token) != std::end(list);
  };
  std::string text;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0 && !is_in(kNoBlankBefore, tokens[i]) && !is_in(kNoBlankAfter, tokens[i - 1])) {
      text += ' ';
    }
    text += tokens[i];
  }
  return text;
}

}  // namespace heed
