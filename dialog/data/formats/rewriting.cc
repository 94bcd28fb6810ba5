#include "dialog/data/formats/corpora.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/list.h"
#include "base/utf8.h"

namespace heed {

Published read_rewriting(const std::string& path, const Reading& reading) {
  LineReader lines(path);
  const std::string file = std::filesystem::path(path).filename().string();
  Published corpus;
  for (std::string_view line; lines.next_not_blank(line);) {
    if (reading.enough(corpus.dialogues.size())) break;
    if (!is_utf8(line)) lines.fail("the text is not UTF-8");
    std::vector<std::string> texts = fields_of(line, '\t');  // two tabs: an empty one between
    for (std::string& text : texts) text = trimmed(text);
    if (texts.size() == 7 && texts[1].empty() && texts[3].empty() && texts[5].empty()) {
      texts = {texts[0], texts[2], texts[4], texts[6]};
    }
    if (texts.size() != 4) {
      lines.fail(
          "expected four texts with tabs between: two turns, a turn, and that turn written out");
    }
    if (std::any_of(texts.begin(), texts.end(), [](const auto& t) { return t.empty(); })) {
      ++corpus.left_out["lines with a blank text"];
      continue;
    }
    Dialogue& dialogue = corpus.dialogues.emplace_back();
    dialogue.id = file + ":" + std::to_string(lines.line_number());
    dialogue.turns = {{"a", texts[0]}, {"b", texts[1]}, {"a", texts[2]}};
    dialogue.turns.back().notes.edit().labels[kRewritten] = {texts[3]};
  }
  if (corpus.dialogues.empty()) throw DataError(path + ": holds no dialogue");
  return corpus;
}

}  // namespace heed
