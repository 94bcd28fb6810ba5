#include "dialog/ubuntu.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "dialog/text_file.h"
#include "dialog/utf8.h"
#include "tensor/error.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kEndOfUtterance = "__eou__", kEndOfTurn = "__eot__";
constexpr size_t kTsvFields = 4;

bool is_blank(std::string_view text) {
  return text.find_first_not_of(kBlanks) == text.npos;
}

void require_utf8(const LineReader& reader, std::string_view line) {
  if (!is_utf8(line)) reader.fail("the text is not UTF-8");
}

Dialogue read_tsv(const std::string& path, const std::string& id) {
  LineReader reader(path);
  Dialogue dialogue{id, {}};
  for (std::string_view rest; reader.next(rest);) {
    require_utf8(reader, rest);
    if (is_blank(rest)) continue;
    std::string_view fields[kTsvFields - 1];  // time, from, to
    for (std::string_view& field : fields) {
      const size_t tab = rest.find('\t');
      if (tab == rest.npos) reader.fail("a message has 4 fields: time, from, to, text");
      field = rest.substr(0, tab);
      rest.remove_prefix(tab + 1);
    }
    if (is_blank(rest)) continue;
    const std::string_view speaker = fields[1];
    if (dialogue.turns.empty() || dialogue.turns.back().speaker != speaker) {
      dialogue.turns.push_back({std::string(speaker), std::string(rest)});
    } else {
      dialogue.turns.back().text.append(" ").append(rest);
    }
  }
  if (dialogue.turns.empty()) throw DataError(path + ": holds no message");
  return dialogue;
}

// Paths below the folder, sorted.
std::vector<std::string> find_tsv_files(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error, ignored;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().lexically_relative(folder).generic_string();
    const bool is_tsv = name.ends_with(".tsv") || name.ends_with(".tsv.gz");
    if (is_tsv && entry->is_regular_file(ignored)) names.push_back(name);
  }
  if (error) throw DataError(folder + ": cannot list the folder: " + error.message());
  std::sort(names.begin(), names.end());
  return names;
}

// Records of a CSV file (RFC 4180).
class CsvReader {
 public:
  explicit CsvReader(const std::string& path) : lines_(path) {}

  // The fields of the next record; false after the last one. Blank lines are no records.
  bool next(std::vector<std::string>& fields) {
    do {
      if (!next_line()) return false;
    } while (line_.empty());
    fields.clear();
    bytes_ = 0;
    while (true) {
      std::string& field = fields.emplace_back();
      if (line_.starts_with('"')) {
        read_quoted(field);
      } else {
        field = line_.substr(0, line_.find(','));
        line_.remove_prefix(field.size());
        if (field.find('"') != field.npos) fail("a quote inside a field that is not quoted");
      }
      if (line_.empty()) return true;
      line_.remove_prefix(1);  // the comma
    }
  }
  [[noreturn]] void fail(const std::string& rule) const { lines_.fail(rule); }

 private:
  bool next_line() {
    if (!lines_.next(line_)) return false;
    require_utf8(lines_, line_);
    bytes_ += line_.size() + 1;
    return true;
  }

  // A quoted field may go on over several lines; "" in it stands for one quote.
  void read_quoted(std::string& field) {
    const int64_t opened = lines_.line_number();
    line_.remove_prefix(1);
    while (true) {
      const size_t quote = line_.find('"');
      field += line_.substr(0, quote);
      if (quote == line_.npos) {
        field += '\n';
        if (bytes_ > kMaxLineBytes || !next_line()) {
          fail("the quote that opens in line " + std::to_string(opened) + " is not closed" +
               (bytes_ > kMaxLineBytes ? " within 16 MiB" : ""));
        }
        continue;
      }
      line_.remove_prefix(quote + 1);
      if (line_.empty() || line_.front() == ',') return;
      if (line_.front() != '"') fail("a closing quote must be followed by a comma");
      field += '"';
      line_.remove_prefix(1);
    }
  }

  LineReader lines_;
  std::string_view line_;  // the rest of the current line
  size_t bytes_ = 0;       // of the current record
};

// The words of a text with one blank between them, without the end-of-utterance marks.
std::string plain_text(std::string_view text) {
  std::string plain;
  while (true) {
    const size_t begin = text.find_first_not_of(kBlanks);
    if (begin == text.npos) return plain;
    text.remove_prefix(begin);
    const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
    text.remove_prefix(word.size());
    if (word == kEndOfUtterance) continue;
    if (!plain.empty()) plain += ' ';
    plain += word;
  }
}

std::vector<Turn> split_context(std::string_view context) {
  std::vector<Turn> turns;
  while (!context.empty()) {
    const size_t mark = context.find(kEndOfTurn);
    std::string text = plain_text(context.substr(0, mark));
    if (!text.empty()) turns.push_back({"", std::move(text)});
    context.remove_prefix(mark == context.npos ? context.size() : mark + kEndOfTurn.size());
  }
  return turns;
}

// Whether the header is that of the training file, which has a label in each row.
bool header_has_label(const CsvReader& csv, const std::vector<std::string>& header) {
  if (header == std::vector<std::string>{"Context", "Utterance", "Label"}) return true;
  if (header.size() < 2 || header[0] != "Context" || header[1] != "Ground Truth Utterance") {
    csv.fail("the header must be Context,Utterance,Label or Context,Ground Truth Utterance,...");
  }
  return false;
}

bool parse_label(const CsvReader& csv, const std::string& label) {
  if (label == "1" || label == "1.0") return true;
  if (label != "0" && label != "0.0") csv.fail("the label must be 1.0 or 0.0");
  return false;
}

}  // namespace

std::vector<Dialogue> read_ubuntu_v1(const std::string& path, size_t limit) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return {read_tsv(path, fs::path(path).filename().string())};
  std::vector<std::string> names = find_tsv_files(path);
  if (names.empty()) throw DataError(path + ": holds no .tsv file");
  if (limit > 0 && names.size() > limit) names.resize(limit);
  std::vector<Dialogue> dialogues;
  for (const std::string& name : names) {
    dialogues.push_back(read_tsv((fs::path(path) / name).string(), name));
  }
  return dialogues;
}

std::vector<Dialogue> read_ubuntu_v2(const std::string& path, size_t limit) {
  CsvReader csv(path);
  std::vector<std::string> header, fields;
  if (!csv.next(header)) throw DataError(path + ": is empty");
  const bool has_label = header_has_label(csv, header);
  const std::string file = fs::path(path).filename().string();
  std::vector<Dialogue> dialogues;
  for (int64_t row = 1; (limit == 0 || dialogues.size() < limit) && csv.next(fields); ++row) {
    if (fields.size() != header.size()) {
      csv.fail("a row has " + std::to_string(header.size()) + " fields, got " +
               std::to_string(fields.size()));
    }
    if (has_label && !parse_label(csv, fields[2])) continue;
    std::vector<Turn> turns = split_context(fields[0]);
    if (turns.empty()) csv.fail("the context is empty");
    turns.push_back({"", plain_text(fields[1])});
    dialogues.push_back({file + ":" + std::to_string(row), std::move(turns)});
  }
  if (dialogues.empty()) throw DataError(path + ": holds no dialogue");
  return dialogues;
}

}  // namespace heed
