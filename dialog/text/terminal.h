// Text for people on a terminal: its width, line breaks, and characters that must not reach it.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace heed {

struct TerminalStyle {
  int width = 80;  // columns
  bool colour = false;
  bool unicode = true;  // bars of block characters instead of #
};
// The style for the stream: its width (or 80); colour on a terminal unless NO_COLOR is set or TERM
// is "dumb"; blocks unless the locale is known not to be UTF-8.
TerminalStyle terminal_style(std::FILE* stream);

// The columns of a terminal, or else COLUMNS; 20 to 160. None for a file or pipe without COLUMNS,
// where lines may be of any length.
std::optional<int> terminal_columns(std::FILE* stream);

// The text without anything that a terminal or a page would interpret: white space becomes a space;
// control characters, marks that change the direction of writing and bytes that are not UTF-8
// become U+FFFD.
std::string printable(const std::string& text);

// The columns that a text takes: 2 for East Asian wide characters and emoji, 0 for combining
// marks.
int columns(const std::string& text);
std::string pad(const std::string& text, int width);  // with spaces at the end
std::string cut(const std::string& text, int width);  // the longest beginning that fits
// Lines of at most `width` columns, broken at spaces; longer words are cut.
std::vector<std::string> wrap(const std::string& text, int width);

}  // namespace heed
