#include "dialog/data/formats/persona_chat.h"

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

class TextReader {
 public:
  TextReader(const std::string& path, const Reading& reading)
      : lines_(path), reading_(reading), file_(std::filesystem::path(path).filename().string()) {}

  Published read() {
    bool first = true, numbered = false;
    for (std::string_view line; lines_.next(line);) {
      if (is_blank(line)) continue;
      if (!is_utf8(line)) lines_.fail("the text is not UTF-8");
      if (std::exchange(first, false)) numbered = line.starts_with("1 ");
      if (!(numbered ? read_numbered(line) : read_pair(line))) break;
    }
    return std::move(corpus_);
  }

 private:
  // False if no more are wanted.
  bool begin_dialogue() {
    if (reading_.enough(corpus_.dialogues.size())) return false;
    corpus_.dialogues.push_back({file_ + ":" + std::to_string(lines_.line_number()), {}});
    return true;
  }

  bool read_pair(std::string_view line) {
    const std::vector<std::string> texts = fields_of(line, '|');
    if (texts.size() != 2) {
      lines_.fail(
          "a line must begin with its number (ConvAI2), or be two texts with one '|' between them");
    }
    if (corpus_.dialogues.empty() || texts[0] != last_) {
      if (!begin_dialogue()) return false;
      add_turn(corpus_, {"", texts[0]});
    }
    add_turn(corpus_, {"", texts[1]});
    last_ = texts[1];
    return true;
  }

  bool read_numbered(std::string_view line) {
    const size_t blank = line.find(' ');
    const std::string_view number = line.substr(0, blank);
    if (number == "1") {
      if (!begin_dialogue()) return false;
      number_ = 0;
    }
    ++number_;
    if (blank == line.npos || number != std::to_string(number_)) {
      lines_.fail("the line must begin with its number in the dialogue, " +
                  std::to_string(number_) + " or 1");
    }
    line.remove_prefix(blank + 1);
    if (!add_persona(line, "your persona: ", kYou) &&
        !add_persona(line, "partner's persona: ", kPartner)) {
      read_exchange(line);
    }
    return true;
  }

  bool add_persona(std::string_view line, std::string_view begin, const char* speaker) {
    if (!line.starts_with(begin)) return false;
    line.remove_prefix(begin.size());
    corpus_.dialogues.back().notes.edit().personas[speaker].emplace_back(line);
    return true;
  }

  void read_exchange(std::string_view line) {
    const std::vector<std::string> fields = fields_of(line, '\t');
    if (fields.size() < 2 || fields.size() > 4) {
      lines_.fail("a line is a persona, or a text and its answer with a tab between them" +
                  std::string(", and perhaps reward and candidates"));
    }
    Turn answer{kYou, fields[1]};
    if (fields.size() == 4) add_candidates(answer, fields[3]);
    add_exchange(corpus_, fields[0], std::move(answer));
  }

  void add_candidates(Turn& answer, std::string_view field) {
    std::vector<std::string>& candidates = answer.notes.edit().candidates;
    candidates = fields_of(field, '|');
    if (std::erase(candidates, answer.text) > 0) return;
    ++corpus_.left_out["lists of candidates without the answer"];
    candidates.clear();
  }

  LineReader lines_;
  const Reading& reading_;
  std::string file_, last_;  // the last text of a pair
  size_t number_ = 0;        // of the last line
  Published corpus_;
};

}  // namespace

Published read_persona_chat(const std::string& path, const Reading& reading) {
  if (first_sign(path) == '[') {
    Published corpus = read_published(path, Braces::kLines, reading, read_episode);
    const std::string file = std::filesystem::path(path).filename().string();
    size_t number = 0;
    for (Dialogue& dialogue : corpus.dialogues) dialogue.id = file + ":" + std::to_string(++number);
    return corpus;
  }
  Published corpus = TextReader(path, reading).read();
  if (corpus.dialogues.empty()) throw DataError(path + ": holds no dialogue");
  return corpus;
}

}  // namespace heed
