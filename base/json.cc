#include "base/json.h"

#include <algorithm>
#include <charconv>

#include "base/number.h"
#include "base/utf8.h"

namespace heed {

void JsonReader::fail() const {
  throw JsonError("no JSON at byte " + std::to_string(at_));
}

char JsonReader::peek() {
  at_ = std::min(text_.find_first_not_of(" \t\n\r", at_), text_.size());
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool JsonReader::take(char c) {
  const bool there = at_ < text_.size() && text_[at_] == c;
  at_ += there;
  return there;
}

void JsonReader::expect(char c) {
  if (peek() != c || !take(c)) fail();
}

JsonReader::Kind JsonReader::next() {
  const char c = peek();
  if (c == '{') return Kind::object;
  if (c == '[') return Kind::array;
  if (c == '"') return Kind::string;
  return c == '-' || (c >= '0' && c <= '9') ? Kind::number : Kind::other;
}

void JsonReader::list(char open, char close, const std::function<void()>& element) {
  expect(open);
  if (depth_-- == 0) {
    throw JsonError("JSON nests too deep at byte " + std::to_string(at_), /*deep=*/true);
  }
  if (peek() != close) {
    element();
    while (peek() == ',') {
      ++at_;
      element();
    }
  }
  expect(close);
  ++depth_;
}

void JsonReader::object(const std::function<void(const std::string&)>& member) {
  list('{', '}', [&] {
    const std::string name = string();
    expect(':');
    member(name);
  });
}

void JsonReader::array(const std::function<void()>& element) {
  list('[', ']', element);
}

uint32_t JsonReader::hex4() {
  uint32_t value = 0;
  const char* const begin = text_.data() + at_;
  if (text_.size() - at_ < 4 || std::from_chars(begin, begin + 4, value, 16).ptr != begin + 4) {
    fail();
  }
  at_ += 4;
  return value;
}

// What stands behind a backslash. Code points above U+FFFF are two escapes, a pair of surrogates.
char32_t JsonReader::escaped() {
  constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  if (take('u')) {
    const uint32_t first = hex4();
    if (first < 0xD800 || first > 0xDFFF) return first;
    if (first > 0xDBFF || !take('\\') || !take('u')) fail();
    const uint32_t second = hex4();
    if (second < 0xDC00 || second > 0xDFFF) fail();
    return 0x10000 + ((first - 0xD800) << 10 | (second - 0xDC00));
  }
  const size_t letter = at_ < text_.size() ? kLetters.find(text_[at_]) : kLetters.npos;
  if (letter == kLetters.npos) fail();
  ++at_;
  return static_cast<char32_t>(kMeanings[letter]);
}

std::string JsonReader::string() {
  expect('"');
  std::string result;
  for (size_t begin = at_; at_ < text_.size();) {  // of what is taken as it is
    const size_t here = at_;
    const char32_t c = next_code_point(text_, at_);
    if (c == kInvalid || c < 0x20) fail();
    if (c != '"' && c != '\\') continue;
    result += text_.substr(begin, here - begin);
    if (c == '"') return result;
    char bytes[4];
    result.append(bytes, write_utf8(bytes, escaped()));
    begin = at_;
  }
  fail();
}

void JsonReader::digits() {
  const size_t begin = at_;
  while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
  if (at_ == begin) fail();
}

std::optional<uint64_t> JsonReader::number() {
  if (next() != Kind::number) fail();
  const size_t begin = at_;
  bool whole = !take('-');
  if (!take('0')) digits();
  if (take('.')) {
    digits();
    whole = false;
  }
  if (take('e') || take('E')) {
    if (!take('-')) take('+');
    digits();
    whole = false;
  }
  return whole ? number_in<uint64_t>(text_.substr(begin, at_ - begin)) : std::nullopt;
}

std::string_view JsonReader::skip() {
  const Kind kind = next();
  const size_t begin = at_;
  if (kind == Kind::object) object([&](const std::string&) { skip(); });
  if (kind == Kind::array) array([&] { skip(); });
  if (kind == Kind::string) string();
  if (kind == Kind::number) number();
  for (const std::string_view word : {"true", "false", "null"}) {
    if (kind == Kind::other && text_.substr(begin).starts_with(word)) at_ += word.size();
  }
  if (at_ == begin) fail();
  return text_.substr(begin, at_ - begin);
}

bool JsonReader::at_end() {
  peek();
  return at_ == text_.size();
}

void JsonReader::end() {
  if (!at_end()) fail();
}

std::string json_string(std::string_view text) {
  constexpr std::string_view kEscaped = "\"\\\b\f\n\r\t", kLetters = "\"\\bfnrt";
  std::string result = "\"";
  for (const char c : text) {
    const size_t letter = kEscaped.find(c);
    if (letter != kEscaped.npos) {
      result += {'\\', kLetters[letter]};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      constexpr char kHex[] = "0123456789abcdef";
      result += {'\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 15]};
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string json_reason(std::string_view what) {
  if (const size_t dash = what.find("- "); dash != what.npos) what.remove_prefix(dash + 2);
  if (const size_t bracket = what.find("] "); bracket != what.npos) what.remove_prefix(bracket + 2);
  // what was last read may be long and need not be UTF-8
  return std::string(what.substr(0, std::min<size_t>(what.find("; last read"), 100)));
}

std::string json_problem(std::string_view what) {
  const size_t begin = what.find("line "), end = what.find(": ", begin);
  const bool placed = what.starts_with("[json.exception.parse_error") && end != what.npos;
  return (placed ? std::string(what.substr(begin, end + 2 - begin)) : "") + json_reason(what);
}

DataError damaged(const std::string& path, std::string_view what) {
  return DataError(path + ": not what heed writes there: " + json_problem(what));
}

}  // namespace heed
