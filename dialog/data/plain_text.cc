#include "dialog/data/plain_text.h"

#include <filesystem>
#include <string_view>

#include "base/error.h"
#include "base/utf8.h"
#include "dialog/data/published.h"
#include "dialog/text/text_file.h"

namespace heed {
namespace {

constexpr std::string_view kEndOfUtterance = "__eou__";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const size_t first = text.find_first_not_of(blanks), last = text.find_last_not_of(blanks);
  return first == text.npos ? std::string_view() : text.substr(first, last - first + 1);
}

TextLayout layout_of(std::string_view first_line, const LineReader& reader) {
  if (first_line.starts_with('{') && first_line.find("\"turns\"") != first_line.npos) {
    reader.fail("these are JSON Lines already: `heed prepare split` makes the parts of them");
  }
  if (first_line.find(kEndOfUtterance) != first_line.npos) return TextLayout::kEou;
  return first_line.find('\t') != first_line.npos ? TextLayout::kTabs : TextLayout::kLines;
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

}  // namespace

PlainText read_plain_text(const std::string& path, TextLayout layout, const Reading& reading) {
  LineReader reader(path);
  const std::string file = std::filesystem::path(path).filename().string();
  PlainText result{{}, layout};
  std::vector<Dialogue>& dialogues = result.dialogues;
  bool open = false;  // the last dialogue may go on
  for (std::string_view line; reader.next(line);) {
    if (!is_utf8(line)) reader.fail("the text is not UTF-8");
    if (trimmed(line).empty()) {
      open = false;
      continue;
    }
    if (result.layout == TextLayout::kAuto) result.layout = layout_of(line, reader);
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
  if (dialogues.empty()) throw DataError(path + ": holds no dialogue");
  return result;
}

PlainText read_plain_texts(const std::string& folder, TextLayout layout, const Reading& reading) {
  PlainText result{{}, layout};
  std::vector<Dialogue>& dialogues = result.dialogues;
  for (const std::string& name : find_files(folder, ".txt")) {
    const size_t before = dialogues.size();
    if (reading.limit > 0 && before >= reading.limit) break;
    const Reading rest{.limit = reading.limit > 0 ? reading.limit - before : 0,
                       .progress = [&](size_t read) { reading.enough(before + read); }};
    PlainText text =
        read_plain_text((std::filesystem::path(folder) / name).string(), result.layout, rest);
    result.layout = text.layout;
    for (Dialogue& dialogue : text.dialogues) {
      dialogue.id = name + dialogue.id.substr(dialogue.id.rfind(':'));
      dialogues.push_back(std::move(dialogue));
    }
  }
  if (dialogues.empty()) throw DataError(folder + ": holds no .txt file");
  return result;
}

}  // namespace heed
