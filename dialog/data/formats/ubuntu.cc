#include "dialog/data/formats/ubuntu.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/error.h"
#include "base/path.h"
#include "base/utf8.h"
#include "dialog/data/formats/published.h"
#include "dialog/data/formats/table.h"
#include "dialog/text/csv.h"
#include "dialog/text/text_file.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBetween = " \t\r\n";
constexpr std::string_view kUtteranceEnd = "__eou__", kTurnEnd = "__eot__";
constexpr size_t kTsvFields = 4;

Dialogue read_tsv(const std::string& path, const std::string& id) {
  LineReader reader(path);
  Dialogue dialogue{id, {}};
  for (std::string_view rest; reader.next(rest);) {
    if (!is_utf8(rest)) reader.fail("the text is not UTF-8");
    if (is_blank(rest)) continue;
    std::string_view fields[kTsvFields - 1];  // time, from, to
    for (std::string_view& field : fields) {
      const size_t tab = rest.find('\t');
      if (tab == rest.npos) reader.fail("a message has 4 fields: time, from, to, text");
      field = rest.substr(0, tab);
      rest.remove_prefix(tab + 1);
    }
    add_message(dialogue, fields[1], rest);
  }
  if (dialogue.turns.empty()) throw DataError(path + ": holds no message");
  return dialogue;
}

// The words of a text with one blank between them, without the end-of-utterance marks.
std::string plain_text(std::string_view text) {
  std::string plain;
  while (true) {
    const size_t begin = text.find_first_not_of(kBetween);
    if (begin == text.npos) return plain;
    text.remove_prefix(begin);
    const std::string_view word = text.substr(0, text.find_first_of(kBetween));
    text.remove_prefix(word.size());
    if (word == kUtteranceEnd) continue;
    if (!plain.empty()) plain += ' ';
    plain += word;
  }
}

std::vector<Turn> split_context(std::string_view context) {
  std::vector<Turn> turns;
  while (!context.empty()) {
    const size_t mark = context.find(kTurnEnd);
    std::string text = plain_text(context.substr(0, mark));
    if (!text.empty()) turns.push_back({"", std::move(text)});
    context.remove_prefix(mark == context.npos ? context.size() : mark + kTurnEnd.size());
  }
  return turns;
}

using Fields = std::vector<std::string>;

enum class CsvForm { kMessages, kLabelled, kAnswers };

CsvForm form_of(const CsvReader& csv, const Fields& header) {
  if (header == Fields{"folder", "dialogueID", "date", "from", "to", "text"}) {
    return CsvForm::kMessages;
  }
  if (header == Fields{"Context", "Utterance", "Label"}) return CsvForm::kLabelled;
  if (header.size() > 1 && header[0] == "Context" && header[1] == "Ground Truth Utterance") {
    return CsvForm::kAnswers;
  }
  csv.fail(
      "the header must be folder,dialogueID,date,from,to,text or Context,Utterance,Label or "
      "Context,Ground Truth Utterance,...");
}

bool parse_label(const CsvReader& csv, const std::string& label) {
  if (label == "1" || label == "1.0") return true;
  if (label != "0" && label != "0.0") csv.fail("the label must be 1.0 or 0.0");
  return false;
}

// The utterance of a row; of one with answers with the others.
Turn read_utterance(const Fields& fields, CsvForm form, bool is_answer) {
  Turn turn{"", plain_text(fields[1]), !is_answer};
  if (form == CsvForm::kAnswers && fields.size() > 2) {
    std::vector<std::string>& candidates = turn.notes.edit().candidates;
    for (size_t i = 2; i < fields.size(); ++i) candidates.push_back(plain_text(fields[i]));
  }
  return turn;
}

void read_contexts(CsvReader& csv, const Fields& header, const std::string& file, CsvForm form,
                   Wrong wrong, const Reading& reading, UbuntuCsv& result) {
  Fields fields;
  for (int64_t row = 1; !reading.enough(result.dialogues.size()) && csv.next(fields, header);
       ++row) {
    const bool is_answer = form != CsvForm::kLabelled || parse_label(csv, fields[2]);
    result.label_0_rows += !is_answer;
    if (!is_answer && wrong == Wrong::kLeaveOut) continue;
    std::vector<Turn> turns = split_context(fields[0]);
    if (turns.empty()) csv.fail("the context is empty");
    turns.push_back(read_utterance(fields, form, is_answer));
    if (wrong == Wrong::kKeep && form == CsvForm::kLabelled) {
      turns.back().notes.edit().labels["answer"] = {is_answer ? "yes" : "no"};
    }
    result.dialogues.push_back({file + ":" + std::to_string(row), std::move(turns)});
  }
}

}  // namespace

std::vector<Dialogue> read_ubuntu_v1(const std::string& path, const Reading& reading) {
  if (!is_folder(path)) return {read_tsv(path, fs::path(path).filename().string())};
  const std::vector<std::string> names = find_files(path, ".tsv");
  if (names.empty()) {
    const std::vector<std::string> others = find_files(path, ".csv");
    throw DataError(path + ": holds no .tsv file" +
                    (others.empty() ? "" : "; give a .csv file itself: " + path + "/" + others[0]));
  }
  std::vector<Dialogue> dialogues;
  for (const std::string& name : names) {
    if (reading.enough(dialogues.size())) break;
    dialogues.push_back(read_tsv((fs::path(path) / name).string(), name));
  }
  return dialogues;
}

UbuntuCsv read_ubuntu_csv(const std::string& path, const Reading& reading, Wrong wrong) {
  CsvReader csv(path);
  Fields header;
  if (!csv.next(header)) throw DataError(path + ": is empty");
  const CsvForm form = form_of(csv, header);
  const std::string file = fs::path(path).filename().string();
  UbuntuCsv result;
  if (form == CsvForm::kMessages) {
    const Columns columns{"text", "from", {"folder", "dialogueID"}};
    result.dialogues = read_rows(csv, header, columns, file, reading);
  } else {
    read_contexts(csv, header, file, form, wrong, reading, result);
  }
  if (result.dialogues.empty()) throw DataError(path + ": holds no dialogue");
  return result;
}

}  // namespace heed
