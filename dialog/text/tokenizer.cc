#include "dialog/text/tokenizer.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/utf8.h"
#include "dialog/text/unicode_tables.h"

namespace heed {
namespace {

enum class Kind : char { kDropped, kSpace, kJoiner, kLetter, kSign };

// Shown as nothing (Unicode: default ignorable): soft hyphen, marks of direction, selectors of
// variants, tags; and the keycap U+20E3.
constexpr CodePoints kInvisible[] = {{0xAD, 0xAD},     {0x34F, 0x34F},    {0x61C, 0x61C},
                                     {0x180B, 0x180F}, {0x200E, 0x200F},  {0x202A, 0x202E},
                                     {0x2060, 0x206F}, {0x20E3, 0x20E3},  {0xFE00, 0xFE0F},
                                     {0xFEFF, 0xFEFF}, {0xE0000, 0xE0FFF}};

constexpr char32_t kZeroWidthSpace = 0x200B, kNonJoiner = 0x200C, kJoiner = 0x200D;

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
  if (c == kNonJoiner || c == kJoiner) return Kind::kJoiner;
  if (find_range(kInvisible, c)) return Kind::kDropped;
  return find_range(kSigns, c) ? Kind::kSign : Kind::kLetter;
}

bool is_emoji(char32_t sign) {
  return (sign >= 0x2190 && sign <= 0x2BFF) || (sign >= 0x1F000 && sign <= 0x1FAFF);
}
bool is_skin_tone(char32_t c) {
  return c >= 0x1F3FB && c <= 0x1F3FF;
}
bool is_flag_letter(char32_t c) {
  return c >= 0x1F1E6 && c <= 0x1F1FF;
}

// Whether a sign belongs to the token before it, which ends with the sign `before`: a skin tone,
// what a joiner joins, the second letter of a flag.
bool goes_on(std::string_view token, char32_t before, char32_t joiner, char32_t sign) {
  if (!is_emoji(before) || !is_emoji(sign)) return false;
  if (joiner) return joiner == kJoiner;
  constexpr size_t kOneLetter = 4;  // bytes
  return is_skin_tone(sign) ||
         (is_flag_letter(before) && is_flag_letter(sign) && token.size() == kOneLetter);
}

}  // namespace

bool is_white_space(char32_t c) {
  if (c < kAsciiKinds.size()) return kAsciiKinds[c] == Kind::kSpace;
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= kZeroWidthSpace) ||
         c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_word_character(char32_t c) {
  return kind_of(c) == Kind::kLetter;
}

char32_t to_lower(char32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
  const CapitalLetters* range = find_range(kCapitals, c);
  const bool capital = range && (c - range->first) % static_cast<char32_t>(range->stride) == 0;
  return capital ? c + static_cast<char32_t>(range->delta) : c;
}

const std::vector<std::string_view>& Tokenizer::operator()(std::string_view text) {
  tokens_.clear();
  // A byte that is not UTF-8 becomes three; nothing else grows so much.
  if (buffer_.size() < 3 * text.size()) buffer_.resize(3 * text.size());
  char* out = buffer_.data();
  const char* token = out;
  const auto end_token = [&] {
    if (out != token) tokens_.emplace_back(token, static_cast<size_t>(out - token));
    token = out;
  };
  char32_t sign = 0, joiner = 0;  // what was read last, if it was one
  for (size_t at = 0; at < text.size();) {
    char32_t c = next_code_point(text, at);
    c = c == kInvalid ? kReplacement : to_lower(c);
    const Kind kind = kind_of(c);
    if (kind == Kind::kDropped) continue;
    if (kind == Kind::kJoiner) {  // written if it joins two letters or two emoji
      joiner = c;
      continue;
    }
    if (kind == Kind::kSign && sign && goes_on(tokens_.back(), sign, joiner, c)) {
      token = tokens_.back().data();
      tokens_.pop_back();
    } else if (kind != Kind::kLetter) {
      end_token();
    }
    if (joiner && out != token) out = write_utf8(out, joiner);
    if (kind != Kind::kSpace) out = write_utf8(out, c);
    if (kind == Kind::kSign) end_token();
    sign = kind == Kind::kSign ? c : 0;
    joiner = 0;
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

std::vector<std::string> shorten_repetitions(const std::vector<std::string>& tokens) {
  constexpr size_t kLongest = 8, kKept = 3;
  std::vector<std::string> result;
  for (size_t at = 0; at < tokens.size();) {
    size_t end = at;  // of the repetitions that begin here, and how long one is
    size_t length = 1;
    for (size_t n = 1; n <= kLongest && end == at; ++n) {
      size_t same = at;  // tokens[same] is tokens[same + n], from `at` on
      while (same + n < tokens.size() && tokens[same] == tokens[same + n]) ++same;
      if ((same - at) / n < kKept) continue;
      end = same + n;
      length = n;
    }
    const size_t kept = end == at ? at + 1 : at + kKept * length;
    for (size_t i = at; i < kept; ++i) result.push_back(tokens[i]);
    if (end > at) result.emplace_back("[...]");
    at = std::max(end, kept);
  }
  return result;
}

}  // namespace heed
