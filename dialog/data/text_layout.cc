#include "dialog/data/text_layout.h"

#include <algorithm>

#include "dialog/text/format.h"

namespace heed {
namespace {

using Lines = std::vector<std::string_view>;

size_t count_holding(const Lines& lines, std::string_view what) {
  return static_cast<size_t>(std::count_if(
      lines.begin(), lines.end(), [&](auto line) { return line.find(what) != line.npos; }));
}

// "dialogue, speaker, text" of a line that can be the names of columns, or "".
std::string columns_in(std::string_view header, char separator) {
  std::string names;
  while (!header.empty()) {
    std::string_view name = header.substr(0, header.find(separator));
    header.remove_prefix(std::min(name.size() + 1, header.size()));
    if (name.size() > 2 && name.starts_with('"')) name = name.substr(1, name.size() - 2);
    const bool is_name = name.size() <= 40 && name.find_first_of(" 0123456789") != 0 &&
                         name.find_first_of(".?!:<>{}[]\"") == name.npos;
    if (name.empty() || !is_name) return "";
    names.append(names.empty() ? "" : ", ").append(name);
  }
  return names;
}

// Whether it is a table: most lines have as many separators as the first, at least.
std::string table_doubt(const Lines& lines) {
  for (const char separator : {',', ';', '\t'}) {
    const auto width = [=](auto line) { return std::count(line.begin(), line.end(), separator); };
    const auto first = width(lines[0]);
    const auto rows =
        std::count_if(lines.begin(), lines.end(), [&](auto line) { return width(line) >= first; });
    const bool tabs = separator == '\t';
    if (first < 1 + tabs || lines.size() < 3 || 10 * rows < 8 * std::ssize(lines)) continue;
    const std::string columns = columns_in(lines[0], separator);
    if (columns.empty() && !tabs) continue;
    return columns.empty()
               ? "looks like a table; with a first line of names heed prepare csv reads it"
               : "looks like a table of " + columns + ", which heed prepare csv reads";
  }
  return "";
}

std::string markup_doubt(const Lines& lines) {
  const std::string_view first = trimmed(lines[0]);
  if (first.starts_with("<!") || first.starts_with("<html") || first.starts_with("<?xml")) {
    return "looks like HTML or XML";
  }
  if (!first.starts_with('{') && !first.starts_with("[{") && first != "[") return "";
  if (first.find("\"turns\"") != first.npos) {
    return "these are JSON Lines already: `heed prepare split` makes the parts of them";
  }
  return count_holding(lines, "\"role\"") == 0
             ? "looks like JSON"
             : "looks like JSON of roles and contents, which heed prepare messages reads";
}

}  // namespace

Lines first_lines(std::string_view beginning) {
  constexpr size_t most = 300;
  Lines lines;
  const bool whole = beginning.size() < LineReader::kAhead;
  while (!beginning.empty() && lines.size() < most) {
    const size_t end = std::min(beginning.find('\n'), beginning.size());
    const bool cut = end == beginning.size() && !whole && !lines.empty();
    if (!is_blank(beginning.substr(0, end)) && !cut) lines.push_back(beginning.substr(0, end));
    beginning.remove_prefix(std::min(end + 1, beginning.size()));
  }
  return lines;
}

LayoutGuess guess_layout(const Lines& lines, const ChatGuess& chat) {
  LayoutGuess guess{.doubt = markup_doubt(lines)};
  if (!guess.doubt.empty()) return guess;
  if (lines[0].find("__eou__") != lines[0].npos) return {TextLayout::kEou, ""};
  if (chat.sure) return {TextLayout::kNames, ""};
  if (lines[0].find('\t') != lines[0].npos) guess.layout = TextLayout::kTabs;
  guess.doubt = table_doubt(lines);
  if (!guess.doubt.empty() || guess.layout == TextLayout::kTabs) return guess;
  const size_t names = chat.messages * (chat.form == ChatForm{} ? 1 : 5);
  const std::pair<size_t, const char*> found[] = {
      {names, "begin with a name or a time: is it --layout names?"},
      {count_holding(lines, "\t"), "hold a tab: is it --layout tabs?"},
      {count_holding(lines, "__eou__"), "hold __eou__: is it --layout eou?"},
      {3 * count_holding(lines, " --> "), "hold an arrow: are these subtitles?"}};
  for (const auto& [count, what] : found) {
    if (count > 1 && 2 * count >= lines.size()) {
      guess.doubt = "many of the first " + counted(lines.size(), "line") + " " + what;
    }
  }
  return guess;
}

}  // namespace heed
