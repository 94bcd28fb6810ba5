#include "dialog/data/corpus.h"

#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "base/list.h"
#include "base/path.h"
#include "dialog/text/text_file.h"

namespace heed {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxNesting = 64;

// For files that are wrong from the start, so perhaps of another kind.
constexpr const char* kFormatHint =
    "; dialogues are JSON Lines (docs/files.md), which `heed prepare` makes of other files";

// Reads the line of one dialogue; values of unknown keys are skipped whatever they hold.
class DialogueReader {
 public:
  // `hint` follows on what is wrong with the line.
  DialogueReader(const LineReader& file, std::string_view line, bool notes, const char* hint)
      : file_(file), line_(line), json_(line, kMaxNesting), notes_(notes), hint_(hint) {}

  Dialogue read() {
    Dialogue dialogue;
    try {
      read_line(dialogue);
    } catch (const JsonError& error) {
      fail(error.too_deep ? "nested deeper than " + std::to_string(kMaxNesting) : problem());
    }
    return dialogue;
  }

 private:
  using Kind = JsonReader::Kind;
  struct Member {
    std::string_view name;
    std::function<void()> read;
    bool is_note = false, seen = false;
  };

  [[noreturn]] void fail(const std::string& rule) const { file_.fail(rule + hint_); }
  // What the line has that is not JSON.
  std::string problem() const {
    try {
      std::ignore = Json::parse(line_);
    } catch (const Json::parse_error& error) {
      return "not valid JSON at byte " + std::to_string(error.byte) + ": " +
             json_reason(error.what());
    }
    return "not valid JSON";
  }

  // Throws unless the next value, called `what`, has one of these types. Reads a number, true,
  // false and null, and returns their text.
  std::string_view check(std::string_view what, std::initializer_list<std::string_view> types) {
    constexpr std::string_view kTypes[] = {"an object", "an array", "a string", "a number",
                                           "true or false"};  // in the order of Kind
    const Kind kind = json_.next();
    const bool is_short = kind == Kind::number || kind == Kind::other;
    const std::string_view text = is_short ? json_.skip() : "",
                           type = text == "null" ? text : kTypes[static_cast<int>(kind)];
    if (std::find(types.begin(), types.end(), type) != types.end()) return text;
    fail(std::string(what) + " must be " + joined(types, " or ") + ", got " + std::string(type));
  }
  std::string string(std::string_view what) {
    check(what, {"a string"});
    return json_.string();
  }
  void take_once(bool is_new, const std::string& name) const {
    if (!is_new) fail("\"" + name + "\" is given twice");
  }

  template <size_t count> void read_members(std::string_view what, Member (&members)[count]) {
    check(what, {"an object"});
    json_.object([&](const std::string& name) {
      for (Member& member : members) {
        if (member.name != name || (member.is_note && !notes_)) continue;
        take_once(!std::exchange(member.seen, true), name);
        return member.read();
      }
      json_.skip();
    });
  }

  void read_line(Dialogue& dialogue) {
    Member members[] = {
        {"turns", [&] { read_turns(dialogue.turns); }},
        {"id",
         [&] {
           dialogue.id = check("id", {"a string", "a number"});
           if (dialogue.id.empty()) dialogue.id = json_.string();
         }},
        {"labels", [&] { read_labels("labels", dialogue.notes.edit().labels); }, true},
        {"personas", [&] { read_labels("personas", dialogue.notes.edit().personas); }, true}};
    read_members("the line", members);
    if (!members[0].seen) fail("the dialogue has no \"turns\"");
    json_.end();
  }
  void read_turns(std::vector<Turn>& turns) {
    check("turns", {"an array"});
    json_.array([&] {
      Turn& turn = turns.emplace_back();
      Member members[] = {
          {"text", [&] { turn.text = string("text"); }},
          {"speaker", [&] { turn.speaker = string("speaker"); }},
          {"distraction",
           [&] { turn.distraction = check("distraction", {"true or false"}) == "true"; }},
          {"labels", [&] { read_labels("labels", turn.notes.edit().labels); }, true},
          {"candidates", [&] { read_list("candidates", turn.notes.edit().candidates); }, true}};
      read_members("each turn", members);
      if (!members[0].seen) fail("turn " + std::to_string(turns.size()) + " has no \"text\"");
    });
    if (turns.empty()) fail("\"turns\" is empty");
  }
  void read_labels(std::string_view what, Labels& labels) {
    check(what, {"an object"});
    json_.object([&](const std::string& name) {
      const auto [label, is_new] = labels.try_emplace(name);
      take_once(is_new, name);
      check("each label", {"a string", "an array"});
      if (json_.next() == Kind::array) return read_list("each label", label->second);
      label->second.push_back(json_.string());
    });
  }
  void read_list(std::string_view what, std::vector<std::string>& list) {
    check(what, {"an array"});
    json_.array([&] { list.push_back(string("each value in a list")); });
  }

  const LineReader& file_;
  std::string_view line_;
  JsonReader json_;
  bool notes_;
  const char* hint_;
};

std::string quoted(const std::string& text) {
  return Json(text).dump();
}

// `, "key": ["a", "b"]`, or nothing for no values.
std::string list_json(const std::string& key, const std::vector<std::string>& values) {
  return values.empty() ? "" : ", " + key + ": [" + joined(values, ", ", quoted) + "]";
}

std::string labels_json(const char* key, const Labels& labels) {
  std::string members;
  for (const auto& [name, values] : labels) members += list_json(quoted(name), values);
  return members.empty() ? "" : ", \"" + std::string(key) + "\": {" + members.substr(2) + "}";
}

std::string to_json(const Dialogue& dialogue) {
  std::string line = "{\"id\": " + quoted(dialogue.id);
  line += labels_json("labels", dialogue.notes->labels);
  line += labels_json("personas", dialogue.notes->personas) + ", \"turns\": [";
  for (const Turn& turn : dialogue.turns) {
    line += line.ends_with('[') ? "{" : ", {";
    if (!turn.speaker.empty()) line += "\"speaker\": " + quoted(turn.speaker) + ", ";
    line += "\"text\": " + quoted(turn.text) + (turn.distraction ? ", \"distraction\": true" : "");
    line += labels_json("labels", turn.notes->labels);
    line += list_json("\"candidates\"", turn.notes->candidates) + "}";
  }
  return line + "]}\n";
}

}  // namespace

std::vector<Dialogue> read_dialogues(const std::string& path, const Reading& reading) {
  LineReader reader(path);
  std::vector<Dialogue> dialogues;
  for (std::string_view line; !reading.enough(dialogues.size()) && reader.next_not_blank(line);) {
    Dialogue& dialogue = dialogues.emplace_back(
        DialogueReader(reader, line, reading.notes, dialogues.empty() ? kFormatHint : "").read());
    if (dialogue.id.empty()) dialogue.id = "line-" + std::to_string(reader.line_number());
    dialogue.turns.shrink_to_fit();
  }
  if (dialogues.empty()) throw DataError(path + ": holds no dialogue");
  return dialogues;
}

void DialogueWriter::write(const Dialogue& dialogue) {
  ++written_;
  std::string line;
  try {
    line = to_json(dialogue);
  } catch (const Json::type_error&) {
    throw DataError(path_ + ": cannot write a dialogue whose text is not UTF-8, dialogue " +
                    std::to_string(written_));
  }
  if (line.size() > kMaxLineBytes) {
    throw DataError(path_ + ": cannot write a dialogue of more than " +
                    std::to_string(kMaxLineBytes >> 20) + " MiB, dialogue " +
                    std::to_string(written_));
  }
  writer_.write(line);
}

void write_dialogues(const std::string& path, const std::vector<Dialogue>& dialogues) {
  DialogueWriter writer(path);
  for (const Dialogue& dialogue : dialogues) writer.write(dialogue);
  writer.commit();
}

uint32_t fingerprint(const std::vector<Dialogue>& dialogues) {
  uLong crc = 0;
  const auto mix = [&](const std::string& text) {  // with its end, so that "a" "b" is not "ab"
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(text.c_str()), text.size() + 1);
  };
  for (const Dialogue& dialogue : dialogues) {
    mix(dialogue.id);
    for (const Turn& turn : dialogue.turns) {
      mix(turn.text);
      if (turn.distraction) mix("distraction");
    }
  }
  return static_cast<uint32_t>(crc);
}

bool has_part(const std::string& directory, const std::string& part) {
  return has_file(directory, part + ".jsonl") || has_file(directory, part + ".jsonl.gz");
}

std::string find_part(const std::string& directory, const std::string& part) {
  namespace fs = std::filesystem;
  const std::string plain = part + ".jsonl", gzip = part + ".jsonl.gz";
  if (!is_folder(directory)) {
    throw DataError(directory + ": not a directory; a data directory holds " + plain + " or " +
                    gzip + "; `heed prepare text` and `split` make one");
  }
  std::optional<std::string> found;
  for (const std::string& name : {plain, gzip}) {
    const fs::path path = fs::path(directory) / name;
    if (!path_exists(path)) continue;
    if (!is_regular(path)) {  // a pipe may never say anything
      throw DataError(path.string() + ": not a regular file");
    }
    if (found) {
      throw DataError(directory + ": holds " + plain + " and " + gzip + "; keep one of them");
    }
    found = path.string();
  }
  if (found) return *found;
  throw DataError(directory + ": holds neither " + plain + " nor " + gzip +
                  "; `heed prepare split` makes them");
}

std::string find_dialogues(const std::string& path, const std::string& part) {
  return is_folder(path) ? find_part(path, part) : path;
}

DataPart read_part(const std::string& directory, const std::string& part, const Reading& reading) {
  const std::string path = find_part(directory, part);
  return {path, read_dialogues(path, reading)};
}

}  // namespace heed
