#include "dialog/data/formats/corpora.h"

#include "dialog/data/formats/records_json.h"

namespace heed {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

// Where a turn begins: "m", "f", "M" or "F" at a word's begin, then perhaps blanks, then ":".
// Returns the place behind the ":", npos if none begins at `at`.
size_t behind_mark(std::string_view text, size_t at) {
  const bool begins = at == 0 || kSpaces.find(text[at - 1]) != kSpaces.npos;
  if (!begins || std::string_view("mfMF").find(text[at]) == std::string_view::npos)
    return text.npos;
  const size_t colon = text.find_first_not_of(kSpaces, at + 1);
  return colon != text.npos && text[colon] == ':' ? colon + 1 : text.npos;
}

// What comes before the first mark is nobody's turn, with the rest of a text without marks.
std::vector<Turn> split_turns(std::string_view text) {
  std::vector<Turn> turns;
  std::string speaker;
  size_t begin = 0;
  const auto add = [&](size_t end) {
    const std::string_view said = trimmed(text.substr(begin, end - begin));
    if (!said.empty()) turns.push_back({speaker, std::string(said)});
  };
  for (size_t at = 0; at < text.size(); ++at) {
    const size_t behind = behind_mark(text, at);
    if (behind == text.npos) continue;
    add(at);
    speaker = text[at] == 'm' || text[at] == 'M' ? "m" : "f";
    begin = behind;
    at = behind - 1;
  }
  add(text.size());
  return turns;
}

Turn read_option(const JsonRecord& record, const std::string& text) {
  std::string_view said = trimmed(text);
  const size_t behind = said.empty() ? said.npos : behind_mark(said, 0);
  Turn turn;
  if (behind != said.npos) {
    turn.speaker = said[0] == 'm' || said[0] == 'M' ? "m" : "f";
    said = trimmed(said.substr(behind));
  }
  if (said.empty()) record.fail("an option has no text");
  turn.text = said;
  return turn;
}

void read_row(JsonRecord& record, Published& corpus) {
  const auto& json = record.json();
  const std::vector<std::string> options = record.texts(json, "options");
  const std::string_view answer = trimmed(record.text(json, "answers"));
  const size_t right = answer.size() == 1 ? static_cast<size_t>(answer[0] - 'A') : options.size();
  if (right >= options.size()) {
    record.fail("\"answers\" must be the letter of an option, A being the first" +
                std::string(answer.empty() ? "; those of the test part are not published" : ""));
  }
  Dialogue dialogue{record.text(json, "id"), split_turns(record.text(json, "article"))};
  if (dialogue.turns.empty()) record.fail("\"article\" has no text");
  Turn last = read_option(record, options[right]);
  for (size_t i = 0; i < options.size(); ++i) {
    const std::string text = read_option(record, options[i]).text;
    if (i != right) last.notes.edit().candidates.push_back(text);
  }
  dialogue.turns.push_back(std::move(last));
  corpus.dialogues.push_back(std::move(dialogue));
}

}  // namespace

Published read_mutual(const std::string& path, const Reading& reading) {
  return read_published(path, "", ".txt", reading, read_row);
}

}  // namespace heed
