#include "base/path.h"
#include "dialog/data/formats/corpora.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "dialog/text/text_file.h"
#include "train/strict_json.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
constexpr size_t kMaxIntentBytes = size_t{1} << 28;

void add_utterance(Published& corpus, const std::string& id, const std::string& part,
                   std::string_view text, std::string_view intent) {
  Dialogue& dialogue = corpus.dialogues.emplace_back();
  dialogue.id = id;
  if (!part.empty()) dialogue.notes.edit().labels["part"] = {part};
  Turn turn{"user", std::string(trimmed(text))};
  turn.notes.edit().labels["intent"] = {label_value(intent)};
  if (!add_turn(corpus, std::move(turn))) corpus.dialogues.pop_back();
}

void read_lines(const fs::path& folder, const std::string& part, const Reading& reading,
                Published& corpus) {
  LineReader texts((folder / "seq.in").string()), intents((folder / "label").string());
  for (std::string_view text, intent; !reading.enough(corpus.dialogues.size());) {
    const bool more = texts.next(text);
    if (more != intents.next(intent)) {
      intents.fail("label and seq.in have another number of lines");
    }
    if (!more) return;
    if (is_blank(intent)) intents.fail("no intent");
    add_utterance(corpus,
                  (part.empty() ? "line-" : part + "-") + std::to_string(texts.line_number()), part,
                  text, intent);
  }
}

void read_pairs(const std::string& path, const Reading& reading, Published& corpus) {
  const auto json = strict_json(read_text(path, kMaxIntentBytes), [&](const std::string& rule) {
    throw DataError(path + ": " + rule);
  });
  if (!json.is_object()) {
    throw DataError(path + ": not a JSON object of parts, {\"train\": [[\"text\", \"intent\"]]}");
  }
  for (const auto& [name, pairs] : json.items()) {
    const std::string bare = name.starts_with("oos_") ? name.substr(4) : name;
    if (bare != "train" && bare != "val" && bare != "test") {
      throw DataError(path +
                      ": the parts are train, val, test and oos_train, oos_val, oos_test, "
                      "got \"" +
                      name.substr(0, 40) + "\"");
    }
    if (!pairs.is_array()) throw DataError(path + ": \"" + name + "\" must be an array");
    for (size_t i = 0; i < pairs.size() && !reading.enough(corpus.dialogues.size()); ++i) {
      const auto& pair = pairs[i];
      const std::string id = name + "-" + std::to_string(i + 1);
      if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string() ||
          is_blank(pair[1].get_ref<const std::string&>())) {
        throw DataError(path + ": " + id + ": expected a text and its intent, [\"...\", \"...\"]");
      }
      add_utterance(corpus, id, bare == "val" ? "valid" : bare, pair[0].get<std::string>(),
                    pair[1].get<std::string>());
    }
  }
}

}  // namespace

Published read_intents(const std::string& path, const Reading& reading) {
  Published corpus;
  if (!is_folder(path)) {
    read_pairs(path, reading, corpus);
  } else if (has_file(path, "seq.in")) {
    read_lines(path, "", reading, corpus);
  } else {
    for (const char* part : {"train", "valid", "test"}) {
      const fs::path folder = fs::path(path) / part;
      if (has_file(folder, "seq.in")) read_lines(folder, part, reading, corpus);
    }
  }
  if (corpus.dialogues.empty()) {
    throw DataError(path +
                    ": holds no utterance (of a folder: in seq.in and label, or in these of "
                    "train, valid and test)");
  }
  return corpus;
}

}  // namespace heed
