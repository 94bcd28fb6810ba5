#include "dialog/data/formats/plain_text.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/error.h"
#include "base/list.h"
#include "base/utf8.h"
#include "dialog/data/formats/chat_log.h"
#include "dialog/data/formats/published.h"
#include "dialog/text/format.h"
#include "dialog/text/text_file.h"

namespace heed {
namespace {

constexpr std::string_view kEndOfUtterance = "__eou__";

using Lines = std::vector<std::string_view>;

size_t count_holding(const Lines& lines, std::string_view what) {
  return static_cast<size_t>(std::count_if(
      lines.begin(), lines.end(), [&](auto line) { return line.find(what) != line.npos; }));
}

// "dialogue, speaker, text" of a line that can be the names of columns, or "".
std::string columns_in(std::string_view header, char separator) {
  if (header.ends_with('\r')) header.remove_suffix(1);
  if (header.ends_with(separator)) header.remove_suffix(1);
  std::vector<std::string> names = fields_of(header, separator);
  for (std::string& name : names) {
    if (name.size() > 2 && name.starts_with('"')) name = name.substr(1, name.size() - 2);
    const bool is_name = name.size() <= 40 && name.find_first_of(" 0123456789") != 0 &&
                         name.find_first_of(".?!:<>{}[]\"") == name.npos;
    if (name.empty() || !is_name) return "";
  }
  return joined(names);
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
  for (const char* begin : {"<!doctype", "<!DOCTYPE", "<!--", "<html", "<?xml"}) {  // <!ann> speaks
    if (first.starts_with(begin)) return "looks like HTML or XML";
  }
  if (!first.starts_with('{') && !first.starts_with("[{") && first != "[") return "";
  if (first.find("\"turns\"") != first.npos) {
    return "these are JSON Lines already: `heed prepare split` makes the parts of them";
  }
  return count_holding(lines, "\"role\"") == 0
             ? "looks like JSON"
             : "looks like JSON of roles and contents, which heed prepare messages reads";
}

// The lines that are not blank, without one that may be cut.
Lines first_lines(std::string_view beginning) {
  Lines lines;
  const bool whole = beginning.size() < LineReader::kAhead;
  while (!beginning.empty()) {
    const size_t end = std::min(beginning.find('\n'), beginning.size());
    const bool cut = end == beginning.size() && !whole && !lines.empty();
    if (!is_blank(beginning.substr(0, end)) && !cut) lines.push_back(beginning.substr(0, end));
    beginning.remove_prefix(std::min(end + 1, beginning.size()));
  }
  return lines;
}

struct LayoutGuess {
  TextLayout layout = TextLayout::kLines;
  std::string doubt;  // "looks like ...", where it may be something else; or empty
};
LayoutGuess guess_layout(const Lines& lines, const ChatGuess& chat) {
  LayoutGuess guess{.doubt = markup_doubt(lines)};
  if (!guess.doubt.empty()) return guess;
  if (lines[0].find("__eou__") != lines[0].npos) return {TextLayout::kEou, ""};
  if (chat.sure) return {TextLayout::kNames, ""};
  if (lines[0].find('\t') != lines[0].npos) guess.layout = TextLayout::kTabs;
  guess.doubt = table_doubt(lines);
  if (!guess.doubt.empty() || guess.layout == TextLayout::kTabs) return guess;
  const size_t names = std::max(chat.timed, chat.messages * (chat.form == ChatForm{} ? 1 : 5));
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

// The layout, told by the first lines, and how the lines of a chat are written.
void choose_layout(const std::string& path, LineReader& reader, const TextOptions& options,
                   PlainText& text, ChatForm& form) {
  if (text.layout != TextLayout::kAuto && text.layout != TextLayout::kNames) return;
  const Lines lines = first_lines(reader.ahead());
  const ChatGuess chat = guess_chat(lines);
  form = chat.form;
  if (lines.empty() ||
      (text.layout == TextLayout::kNames && (chat.sure || 20 * chat.messages > lines.size())))
    return;
  if (text.layout == TextLayout::kNames) {
    throw DataError(path + ": its first " + counted(lines.size(), "line") +
                    " do not say who speaks, as \"Name: text\" and \"[time] <name> text\" do");
  }
  const LayoutGuess guess = guess_layout(lines, chat);
  text.layout = guess.layout;
  if (guess.doubt.empty()) return;
  const std::string doubt = path + ": " + guess.doubt;
  const std::string way = guess.layout == TextLayout::kTabs ? "--layout tabs" : "--layout lines";
  if (options.read_anyway && options.read_anyway(doubt + ". Read it as " + way + "?")) return;
  throw DataError(doubt + "; " + way + " reads it all the same");
}

void add_utterances(Dialogue& dialogue, std::string_view line) {
  while (!line.empty()) {
    const size_t end = line.find(kEndOfUtterance);
    const std::string_view text = trimmed(line.substr(0, end));
    if (!text.empty()) dialogue.turns.push_back({"", std::string(text)});
    line.remove_prefix(end == line.npos ? line.size() : end + kEndOfUtterance.size());
  }
}

void add_line_of_speaker(Dialogue& dialogue, std::string_view line, const LineReader& reader) {
  const size_t tab = line.find('\t');
  if (tab == line.npos) reader.fail("a line is speaker, tab, text; this one has no tab");
  add_message(dialogue, trimmed(line.substr(0, tab)), trimmed(line.substr(tab + 1)));
}

// A chat is read as a whole: only then it is known how its dates are written.
void read_chat(LineReader& reader, ChatForm form, const std::string& path, const std::string& name,
               const TextOptions& options, const Reading& reading, PlainText& text) {
  ChatReader chat(form);
  for (std::string_view line; reader.next(line);) {
    if (!is_utf8(line)) reader.fail("the text is not UTF-8");
    if (!chat.add(line, reader.line_number())) {
      reader.fail("a line is \"Name: text\"; this one has no name");
    }
  }
  if (chat.is_mixed()) {
    throw DataError(path + ": holds two kinds of chats; give each in a file of its own");
  }
  chat.add_dialogues(text.dialogues, name, 60 * int64_t{options.gap_minutes}, reading);
  text.left_out += chat.left_out();
}

void read_lines(LineReader& reader, const std::string& name, const Reading& reading,
                PlainText& result) {
  std::vector<Dialogue>& dialogues = result.dialogues;
  bool open = false;  // the last dialogue may go on
  for (std::string_view line; reader.next(line);) {
    if (!is_utf8(line)) reader.fail("the text is not UTF-8");
    if (trimmed(line).empty()) {
      open = false;
      continue;
    }
    if (!open) {
      if (reading.enough(dialogues.size())) break;
      dialogues.push_back({name + ":" + std::to_string(reader.line_number()), {}});
    }
    switch (result.layout) {
      case TextLayout::kEou: add_utterances(dialogues.back(), line); break;
      case TextLayout::kTabs: add_line_of_speaker(dialogues.back(), line, reader); break;
      default: dialogues.back().turns.push_back({"", std::string(trimmed(line))});
    }
    open = result.layout != TextLayout::kEou;
  }
}

// Adds the dialogues of a file, whose ids begin with `name`.
void add_file(const std::string& path, const std::string& name, const TextOptions& options,
              const Reading& reading, PlainText& text) {
  LineReader reader(path);
  ChatForm form;
  choose_layout(path, reader, options, text, form);
  const size_t before = text.dialogues.size();
  if (text.layout == TextLayout::kNames) {
    read_chat(reader, form, path, name, options, reading, text);
  } else {
    read_lines(reader, name, reading, text);
  }
  if (text.dialogues.size() == before) throw DataError(path + ": holds no dialogue");
}

}  // namespace

PlainText read_plain_text(const std::string& path, const TextOptions& options,
                          const Reading& reading) {
  PlainText text{{}, options.layout};
  add_file(path, std::filesystem::path(path).filename().string(), options, reading, text);
  return text;
}

PlainText read_plain_texts(const std::string& folder, const TextOptions& options,
                           const Reading& reading) {
  PlainText text{{}, options.layout};
  for (const std::string& name : find_files(folder, ".txt")) {
    if (reading.limit > 0 && text.dialogues.size() >= reading.limit) break;
    add_file((std::filesystem::path(folder) / name).string(), name, options, reading, text);
  }
  if (text.dialogues.empty()) throw DataError(folder + ": holds no .txt file");
  return text;
}

}  // namespace heed
