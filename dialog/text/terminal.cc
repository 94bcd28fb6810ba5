#include "dialog/text/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/utf8.h"
#include "dialog/text/tokenizer.h"

namespace heed {
namespace {

bool changes_direction(char32_t c) {
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

int columns_of(char32_t c) {
  if ((c >= 0x300 && c <= 0x36F) || (c >= 0x200B && c <= 0x200D) || (c >= 0xFE00 && c <= 0xFE0F)) {
    return 0;
  }
  const bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) ||
                    (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
                    (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
                    (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1FAFF) ||
                    (c >= 0x20000 && c <= 0x3FFFD);
  return wide ? 2 : 1;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

int columns(const std::string& text) {
  int sum = 0;
  for (size_t at = 0; at < text.size();) sum += columns_of(next_code_point(text, at));
  return sum;
}

std::string pad(const std::string& text, int width) {
  return text + std::string(std::max(0, width - columns(text)), ' ');
}

std::string cut(const std::string& text, int width) {
  int used = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    used += columns_of(next_code_point(text, at));
    if (used > width) return text.substr(0, begin);
  }
  return text;
}

std::vector<std::string> wrap(const std::string& text, int width) {
  std::vector<std::string> lines(1);
  for (size_t at = 0; at < text.size();) {
    const size_t blank = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, blank - at);
    at = blank + 1;
    const bool fits = columns(lines.back()) + 1 + columns(word) <= width;
    if (!lines.back().empty() && !fits) lines.emplace_back();
    while (columns(word) > width) {
      const std::string head = cut(word, width);
      if (head.empty()) break;  // a wide character in a single column
      lines.back() = head;
      lines.emplace_back();
      word.erase(0, head.size());
    }
    if (!lines.back().empty() && !word.empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

std::string printable(const std::string& text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    const bool obeyed = c < 0x20 || (c >= 0x7F && c < 0xA0) || changes_direction(c);
    if (is_white_space(c)) {
      result += ' ';
    } else if (c == kInvalid || obeyed) {
      result += "\uFFFD";
    } else {
      char bytes[4];
      result.append(bytes, write_utf8(bytes, c));
    }
  }
  return result;
}

std::optional<int> terminal_columns(std::FILE* stream) {
  winsize size = {};
  const int descriptor = ::fileno(stream);
  long width = std::strtol(variable("COLUMNS").c_str(), nullptr, 10);
  if (::isatty(descriptor) && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    width = size.ws_col;
  }
  if (width <= 0) return std::nullopt;
  return static_cast<int>(std::clamp(width, 20L, 160L));
}

TerminalStyle terminal_style(std::FILE* stream) {
  const bool terminal = ::isatty(::fileno(stream));
  TerminalStyle style;
  style.colour = terminal && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  style.width = terminal_columns(stream).value_or(style.width);
  std::string locale;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (locale.empty()) locale = variable(name);
  }
  const bool utf8 = locale.find("UTF") != locale.npos || locale.find("utf") != locale.npos;
  style.unicode = !terminal || locale.empty() || utf8;
  return style;
}

}  // namespace heed
