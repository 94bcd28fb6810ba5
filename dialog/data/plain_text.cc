#include "dialog/data/plain_text.h"

#include <filesystem>
#include <string_view>

#include "base/error.h"
#include "base/utf8.h"
#include "dialog/data/chat_log.h"
#include "dialog/data/published.h"
#include "dialog/data/text_layout.h"
#include "dialog/text/format.h"
#include "dialog/text/text_file.h"

namespace heed {
namespace {

constexpr std::string_view kEndOfUtterance = "__eou__";

// The layout, told by the first lines, and how the lines of a chat are written.
void choose_layout(const std::string& path, LineReader& reader, const TextOptions& options,
                   PlainText& text, ChatForm& form) {
  if (text.layout != TextLayout::kAuto && text.layout != TextLayout::kNames) return;
  const std::vector<std::string_view> lines = first_lines(reader.ahead());
  const ChatGuess chat = guess_chat(lines);
  form = chat.form;
  if (lines.empty() || (text.layout == TextLayout::kNames && chat.messages > 0)) return;
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
void read_chat(LineReader& reader, ChatReader chat, const std::string& file,
               const TextOptions& options, const Reading& reading, PlainText& text) {
  for (std::string_view line; reader.next(line);) {
    if (!is_utf8(line)) reader.fail("the text is not UTF-8");
    if (!chat.add(line, reader.line_number())) {
      reader.fail("a line is \"Name: text\"; this one has no name");
    }
  }
  text.dialogues = chat.dialogues(file, 60 * int64_t{options.gap_minutes}, reading);
  text.left_out = chat.left_out();
}

void read_lines(LineReader& reader, const std::string& file, const Reading& reading,
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
      dialogues.push_back({file + ":" + std::to_string(reader.line_number()), {}});
    }
    switch (result.layout) {
      case TextLayout::kEou: add_utterances(dialogues.back(), line); break;
      case TextLayout::kTabs: add_line_of_speaker(dialogues.back(), line, reader); break;
      default: dialogues.back().turns.push_back({"", std::string(trimmed(line))});
    }
    open = result.layout != TextLayout::kEou;
  }
}

}  // namespace

PlainText read_plain_text(const std::string& path, const TextOptions& options,
                          const Reading& reading) {
  LineReader reader(path);
  const std::string file = std::filesystem::path(path).filename().string();
  PlainText text;
  text.layout = options.layout;
  ChatForm form;
  choose_layout(path, reader, options, text, form);
  if (text.layout == TextLayout::kNames) {
    read_chat(reader, ChatReader(form), file, options, reading, text);
  } else {
    read_lines(reader, file, reading, text);
  }
  if (text.dialogues.empty()) throw DataError(path + ": holds no dialogue");
  return text;
}

PlainText read_plain_texts(const std::string& folder, const TextOptions& options,
                           const Reading& reading) {
  PlainText result;
  result.layout = options.layout;
  std::vector<Dialogue>& dialogues = result.dialogues;
  for (const std::string& name : find_files(folder, ".txt")) {
    const size_t before = dialogues.size();
    if (reading.limit > 0 && before >= reading.limit) break;
    const Reading rest{.limit = reading.limit > 0 ? reading.limit - before : 0,
                       .progress = [&](size_t read) { reading.enough(before + read); }};
    const TextOptions same{result.layout, options.gap_minutes, options.read_anyway};
    PlainText text = read_plain_text((std::filesystem::path(folder) / name).string(), same, rest);
    result.layout = text.layout;
    result.left_out += text.left_out;
    for (Dialogue& dialogue : text.dialogues) {
      dialogue.id = name + dialogue.id.substr(dialogue.id.rfind(':'));
      dialogues.push_back(std::move(dialogue));
    }
  }
  if (dialogues.empty()) throw DataError(folder + ": holds no .txt file");
  return result;
}

}  // namespace heed
