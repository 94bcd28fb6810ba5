#include "dialog/data/formats/corpora.h"

#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/list.h"
#include "base/utf8.h"
#include "dialog/data/formats/records_json.h"

namespace heed {
namespace {

constexpr std::string_view kSilence = "__SILENCE__";
constexpr const char *kPartner = "partner", *kYou = "you";

// What the partner says and what you answer.
void add_exchange(Published& corpus, std::string_view said, Turn answer) {
  if (said == kSilence) {
    ++corpus.left_out["turns of __SILENCE__"];
  } else {
    add_turn(corpus, {kPartner, std::string(said)});
  }
  add_turn(corpus, std::move(answer));
}

// ---- JSON ---------------------------------------------------------------------------------------

void read_episode(JsonRecord& record, Published& corpus) {
  Dialogue& dialogue = corpus.dialogues.emplace_back();
  dialogue.notes.edit().personas[kYou] = record.texts(record.json(), "persona");
  size_t turns = 0;
  for (const auto& exchange : record.list(record.json(), "dialogue")) {
    record.in_turn(turns + 1);
    turns += 2;
    if (!exchange.is_array() || exchange.size() != 2) {
      record.fail("each member of \"dialogue\" must be a pair of texts");
    }
    const std::string& said = record.as_text(exchange[0], "what the partner says");
    add_exchange(corpus, said, {kYou, record.as_text(exchange[1], "the answer")});
  }
}

// ---- text ---------------------------------------------------------------------------------------

bool add_persona(Published& corpus, std::string_view line, std::string_view begin,
                 const char* speaker) {
  if (!line.starts_with(begin)) return false;
  corpus.dialogues.back().notes.edit().personas[speaker].emplace_back(line.substr(begin.size()));
  return true;
}

void add_candidates(Published& corpus, Turn& answer, std::string_view field) {
  std::vector<std::string>& candidates = answer.notes.edit().candidates;
  candidates = fields_of(field, '|');
  if (std::erase(candidates, answer.text) > 0) return;
  ++corpus.left_out["lists of candidates without the answer"];
  candidates.clear();
}

void read_numbered(const LineReader& lines, std::string_view line, size_t number,
                   Published& corpus) {
  const size_t blank = line.find(' ');
  if (blank == line.npos || line.substr(0, blank) != std::to_string(number)) {
    lines.fail("the line must begin with its number in the dialogue, " + std::to_string(number) +
               " or 1");
  }
  line.remove_prefix(blank + 1);
  if (add_persona(corpus, line, "your persona: ", kYou) ||
      add_persona(corpus, line, "partner's persona: ", kPartner)) {
    return;
  }
  const std::vector<std::string> fields = fields_of(line, '\t');
  if (fields.size() < 2 || fields.size() > 4) {
    lines.fail(
        "a line is a persona, or a text and its answer with a tab between them, and perhaps reward "
        "and candidates");
  }
  Turn answer{kYou, fields[1]};
  if (fields.size() == 4) add_candidates(corpus, answer, fields[3]);
  add_exchange(corpus, fields[0], std::move(answer));
}

Published read_persona_lines(const std::string& path, const std::string& file,
                             const Reading& reading) {
  Published corpus;
  std::vector<Dialogue>& dialogues = corpus.dialogues;
  std::string last;   // the last text of a pair
  size_t number = 0;  // of the line in its dialogue, where lines are numbered
  bool first = true, numbered = false;
  LineReader lines(path);
  for (std::string_view line; lines.next_not_blank(line);) {
    if (!is_utf8(line)) lines.fail("the text is not UTF-8");
    if (std::exchange(first, false)) numbered = line.starts_with("1 ");
    const auto pair = numbered ? std::vector<std::string>() : fields_of(line, '|');
    if (!numbered && pair.size() != 2) {
      lines.fail(
          "a line must begin with its number (ConvAI2), or be two texts with one '|' between them");
    }
    const bool begins =
        numbered ? line.substr(0, line.find(' ')) == "1" : dialogues.empty() || pair[0] != last;
    if (begins) {
      if (reading.enough(dialogues.size())) break;
      dialogues.push_back({file + ":" + std::to_string(lines.line_number()), {}});
      number = 0;
    }
    if (numbered) {
      read_numbered(lines, line, ++number, corpus);
      continue;
    }
    if (begins) add_turn(corpus, {"", pair[0]});
    add_turn(corpus, {"", pair[1]});
    last = pair[1];
  }
  if (dialogues.empty()) throw DataError(path + ": holds no dialogue");
  return corpus;
}

}  // namespace

Published read_persona_chat(const std::string& path, const Reading& reading) {
  const std::string file = std::filesystem::path(path).filename().string();
  if (first_sign(path) != '[') return read_persona_lines(path, file, reading);
  Published corpus = read_published(path, Braces::kLines, reading, read_episode);
  size_t number = 0;
  for (Dialogue& dialogue : corpus.dialogues) dialogue.id = file + ":" + std::to_string(++number);
  return corpus;
}

}  // namespace heed
