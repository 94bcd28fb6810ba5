// What is written to a terminal, and the frame of a page: columns, tables, colours, characters.
#include "dialog/text/terminal.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>

#include "dialog/text/format.h"
#include "dialog/text/html_page.h"
#include "dialog/text/text_table.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

TEST(TerminalStyle, AStreamThatIsNoTerminalHasNoColour) {
  const TempDir folder;
  std::FILE* file = std::fopen(folder.path("out").c_str(), "w");
  ASSERT_NE(file, nullptr);
  ::setenv("COLUMNS", "100", 1);
  const TerminalStyle style = terminal_style(file);
  ::setenv("COLUMNS", "1000000000000", 1);
  const TerminalStyle wide = terminal_style(file);
  ::setenv("COLUMNS", "3", 1);
  const TerminalStyle narrow = terminal_style(file);
  ::unsetenv("COLUMNS");
  std::fclose(file);
  EXPECT_FALSE(style.colour);
  EXPECT_EQ(style.width, 100);
  EXPECT_EQ(wide.width, 160);
  EXPECT_EQ(narrow.width, 20);
}

// Of a terminal of 50 columns, with these variables alone.
TerminalStyle style_with(const std::vector<std::pair<const char*, const char*>>& variables) {
  for (const char* name : {"COLUMNS", "NO_COLOR", "TERM", "LC_ALL", "LC_CTYPE", "LANG"}) {
    ::unsetenv(name);
  }
  for (const auto& [name, value] : variables) ::setenv(name, value, 1);
  const winsize size = {.ws_row = 24, .ws_col = 50, .ws_xpixel = 0, .ws_ypixel = 0};
  int master = -1, slave = -1;
  EXPECT_EQ(::openpty(&master, &slave, nullptr, nullptr, &size), 0);
  std::FILE* stream = ::fdopen(slave, "w");
  const TerminalStyle style = terminal_style(stream);
  std::fclose(stream);
  ::close(master);
  for (const auto& [name, value] : variables) ::unsetenv(name);
  return style;
}

TEST(TerminalStyle, IsAsItsVariablesSay) {
  EXPECT_EQ(style_with({{"COLUMNS", "100"}}).width, 50);
  EXPECT_TRUE(style_with({{"TERM", "xterm"}}).colour);
  EXPECT_FALSE(style_with({{"TERM", "xterm"}, {"NO_COLOR", "1"}}).colour);
  EXPECT_FALSE(style_with({{"TERM", "dumb"}}).colour);
  EXPECT_TRUE(style_with({}).unicode);
  EXPECT_FALSE(style_with({{"LANG", "C"}}).unicode);
  EXPECT_TRUE(style_with({{"LANG", "C"}, {"LC_CTYPE", "C.utf8"}}).unicode);
  EXPECT_FALSE(style_with({{"LANG", "de_DE.UTF-8"}, {"LC_ALL", "C"}}).unicode);
  EXPECT_FALSE(style_with({{"LC_CTYPE", "de_DE.UTF-8"}, {"LC_ALL", "C"}}).unicode);
}

TEST(Terminal, TextIsMeasuredInColumns) {
  const std::string wide = "\u4e2d";
  EXPECT_EQ(columns("ab" + wide + "\u0301"), 4);  // a mark takes none
  EXPECT_EQ(pad(wide, 4), wide + "  ");
  EXPECT_EQ(cut("abc", 3), "abc");
  EXPECT_EQ(cut("abc", 2), "ab");
  EXPECT_EQ(cut("a" + wide, 2), "a");
  using Lines = std::vector<std::string>;
  EXPECT_EQ(wrap("ab cd e", 5), (Lines{"ab cd", "e"}));
  EXPECT_EQ(wrap("ab cd e", 4), (Lines{"ab", "cd e"}));
  EXPECT_EQ(wrap("abcdef g", 4), (Lines{"abcd", "ef g"}));
  EXPECT_EQ(wrap(" a  b ", 4), (Lines{"a b"}));
}

// The first and the last character of each range, and some beside them.
TEST(Terminal, CharactersTakeNoneOneOrTwoColumns) {
  for (const char* none : {"\u0300", "\u036F", "\u200B", "\u200D", "\uFE00", "\uFE0F"}) {
    EXPECT_EQ(columns(none), 0) << none;
  }
  for (const char* one : {"\u00E9", "\u02FF", "\u0370", "\u10FF", "\u1160", "\u2E7F", "\uABFF",
                          "\uFDFF", "\uFF61", "\uFFE8"}) {
    EXPECT_EQ(columns(one), 1) << one;
  }
  for (const char* two : {"\u1100", "\u115F", "\u2E80", "\uA4CF", "\uAC00", "\uD7A3", "\uF900",
                          "\uFAFF", "\uFE30", "\uFE6F", "\uFF00", "\uFF60", "\uFFE0", "\uFFE6",
                          "\U0001F300", "\U0001FAFF", "\U00020000", "\U0003FFFD"}) {
    EXPECT_EQ(columns(two), 2) << two;
  }
}

// The first column to the left, the others to the right; what does not fit follows below.
TEST(Terminal, ATableIsAlignedAndFolded) {
  const std::vector<std::vector<std::string>> rows = {
      {"name", "a", "long"}, {"x", "12", "3"}, {"yy", "4", "567"}};
  const std::string whole = "name   a  long\nx     12     3\nyy     4   567\n";
  EXPECT_EQ(text_table_of_rows(rows, 80), whole);
  EXPECT_EQ(text_table_of_rows(rows, 14), whole);
  EXPECT_EQ(text_table_of_rows(rows, 13),
            "name   a\nx     12\nyy     4\n\nname  long\nx        3\nyy     567\n");
  EXPECT_EQ(text_table_of_rows({{"name", "a"}, {"x", ""}}, 80),
            "name  a\nx\n");  // no blanks behind
}

TEST(Printable, KeepsReadableText) {
  EXPECT_EQ(printable("don't — naïve 漢字 😀"), "don't — naïve 漢字 😀");
  EXPECT_EQ(printable("a\tb\r\nc\xc2\xa0"
                      "d"),
            "a b  c d");
  EXPECT_EQ(printable(std::string("a\0b", 3)),
            "a\uFFFD"
            "b");
  EXPECT_EQ(printable("\xff\xc3"), "\uFFFD\uFFFD");
  for (const char* obeyed : {"\x01", "\x1B", "\x7F", "\xc2\x80", "\xc2\x9F", "\u061C", "\u200E",
                             "\u200F", "\u202A", "\u202E", "\u2066", "\u2069"}) {
    EXPECT_EQ(printable(obeyed), "\uFFFD");
  }
  for (const char* shown : {"~", "\u00A1", "\u200D", "\u2010", "\u2065", "\u206A"}) {
    EXPECT_EQ(printable(shown), shown);
  }
}

TEST(Html, PartsOfPagesSayWhatTheyAreGiven) {
  const std::string head = html_head("some title", "kind");
  EXPECT_TRUE(has(head, "<title>some title</title>"));
  EXPECT_TRUE(has(head, "<body class=\"kind\">"));
  EXPECT_EQ(scroll_html("<l>", "<b>x</b>", "wide"),
            "<div class=\"scroll wide\" tabindex=\"0\" role=\"region\" aria-label=\"&lt;l&gt;\">"
            "<b>x</b></div>\n");
  EXPECT_TRUE(scroll_html("l", "x").starts_with("<div class=\"scroll\" "));
  EXPECT_TRUE(has(made_with_html({{"<a>", "'b'"}}),
                  "<th scope=\"row\">&lt;a&gt;</th><td>&#39;b&#39;</td>"));
  EXPECT_EQ(made_with_html({}), "");
}

TEST(HtmlHead, AllowsScriptsOnlyWhereTheyAreAskedFor) {
  EXPECT_TRUE(has(html_head("t", "k", true),
                  "content=\"default-src 'none'; style-src 'unsafe-inline'; "
                  "script-src 'unsafe-inline'\">"));
  EXPECT_TRUE(has(html_head("t", "k", false),
                  "content=\"default-src 'none'; style-src 'unsafe-inline'\">"));
}

TEST(Decimal, HasAllItsDigitsOrAnExponent) {
  EXPECT_EQ(decimal(12.345, 1), "12.3");
  EXPECT_EQ(decimal(-0.001, 2), "0.00");
  EXPECT_EQ(decimal(-123456789012345, 2), "-123456789012345.00");
  EXPECT_EQ(decimal(3.5e107, 1), "3.5e+107");
  EXPECT_EQ(decimal(INFINITY, 1), "-");
}

}  // namespace
}  // namespace heed
