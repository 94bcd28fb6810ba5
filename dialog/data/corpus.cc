#include "dialog/data/corpus.h"

#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "dialog/text/text_file.h"
#include "tensor/error.h"

namespace heed {
namespace {

using Json = nlohmann::json;

constexpr int kMaxDepth = 64;

// For files that are wrong from the start, so perhaps of another kind.
constexpr const char* kFormatHint =
    "; dialogues are JSON Lines (docs/files.md), which `heed prepare` makes of other files";

enum class Type { kNull, kBoolean, kNumber, kString, kArray, kObject };
constexpr const char* kTypeNames[] = {"null",     "true or false", "a number",
                                      "a string", "an array",      "an object"};

// The value that comes next, and the type it must have.
enum Field { kLine, kId, kTurns, kTurn, kSpeaker, kText, kDistraction, kOther };
struct FieldRule {
  const char* name;
  Type type;
};
constexpr FieldRule kRules[] = {{"the line", Type::kObject},    {"id", Type::kString},
                                {"turns", Type::kArray},        {"each turn", Type::kObject},
                                {"speaker", Type::kString},     {"text", Type::kString},
                                {"distraction", Type::kBoolean}};

// "[json.exception.parse_error.101] parse error at line 1, column 9: syntax error while parsing
// value - invalid literal; last read: 'x'" -> "invalid literal". What was last read may be long and
// need not be UTF-8.
std::string json_reason(std::string_view what) {
  if (const size_t dash = what.find("- "); dash != what.npos) what.remove_prefix(dash + 2);
  if (const size_t bracket = what.find("] "); bracket != what.npos) what.remove_prefix(bracket + 2);
  return std::string(what.substr(0, std::min<size_t>(what.find("; last read"), 100)));
}

// Makes a Dialogue of the events of the JSON parser. Containers nest line > turns > turn at depths
// 1, 2, 3; values of unknown keys are skipped whatever they hold. A callback that returns false
// stops the parser; `error` then says why.
class DialogueBuilder {
 public:
  Dialogue dialogue;
  std::string error;

  bool null() { return check(Type::kNull); }
  bool number_integer(Json::number_integer_t) { return check(Type::kNumber); }
  bool number_unsigned(Json::number_unsigned_t) { return check(Type::kNumber); }
  bool number_float(Json::number_float_t, const std::string&) { return check(Type::kNumber); }
  bool binary(Json::binary_t&) { return fail("not JSON"); }  // exists in other formats only
  bool boolean(bool value) {
    if (!check(Type::kBoolean)) return false;
    if (!skipping()) dialogue.turns.back().distraction = value;
    return true;
  }
  bool string(std::string& value) {
    if (!check(Type::kString)) return false;
    if (skipping()) return true;
    if (field_ == kId) dialogue.id = value;
    if (field_ == kSpeaker) dialogue.turns.back().speaker = value;
    if (field_ == kText) dialogue.turns.back().text = value;
    return true;
  }

  bool key(std::string& name) {
    if (skipped_depth_ > 0) return true;
    field_ = field_named(name);
    if (field_ == kOther) return true;
    if (seen_[field_]) return fail("\"" + name + "\" is given twice");
    seen_[field_] = true;
    return true;
  }
  bool start_object(size_t) {
    if (!open(Type::kObject)) return false;
    if (skipping() || field_ == kLine) return true;
    dialogue.turns.emplace_back();
    seen_[kSpeaker] = seen_[kText] = seen_[kDistraction] = false;
    return true;
  }
  bool end_object() {
    if (close_skipped()) return true;
    if (depth_ == 3 && !seen_[kText]) {
      return fail("turn " + std::to_string(dialogue.turns.size()) + " has no \"text\"");
    }
    if (depth_ == 1 && !seen_[kTurns]) return fail("the dialogue has no \"turns\"");
    field_ = kTurn;  // after a turn another one may follow
    --depth_;
    return true;
  }
  bool start_array(size_t) {
    if (!open(Type::kArray)) return false;
    if (!skipping()) field_ = kTurn;
    return true;
  }
  bool end_array() {
    if (close_skipped()) return true;
    --depth_;
    return !dialogue.turns.empty() || fail("\"turns\" is empty");
  }
  bool parse_error(size_t position, const std::string&, const Json::exception& exception) {
    return fail("not valid JSON at byte " + std::to_string(position) + ": " +
                json_reason(exception.what()));
  }

 private:
  bool fail(const std::string& rule) {
    error = rule;
    return false;
  }
  bool skipping() const { return skipped_depth_ > 0 || field_ == kOther; }
  Field field_named(std::string_view name) const {
    if (depth_ == 1) return name == "id" ? kId : name == "turns" ? kTurns : kOther;
    if (name == "text") return kText;
    return name == "speaker" ? kSpeaker : name == "distraction" ? kDistraction : kOther;
  }
  bool check(Type type) {
    if (skipping() || type == kRules[field_].type) return true;
    return fail(std::string(kRules[field_].name) + " must be " +
                kTypeNames[static_cast<int>(kRules[field_].type)] + ", got " +
                kTypeNames[static_cast<int>(type)]);
  }
  bool open(Type type) {
    if (!check(type)) return false;
    if (++depth_ > kMaxDepth) return fail("nested deeper than " + std::to_string(kMaxDepth));
    if (skipping() && skipped_depth_ == 0) skipped_depth_ = depth_;
    return true;
  }
  bool close_skipped() {
    if (skipped_depth_ == 0) return false;
    if (depth_-- == skipped_depth_) skipped_depth_ = 0;
    return true;
  }

  Field field_ = kLine;
  int depth_ = 0;
  int skipped_depth_ = 0;   // where the unknown container was opened that we are in; 0: in none
  bool seen_[kOther] = {};  // keys of this dialogue and of this turn
};

std::string quoted(const std::string& text) {
  return Json(text).dump();
}

std::string to_json(const Dialogue& dialogue) {
  std::string line = "{\"id\": " + quoted(dialogue.id) + ", \"turns\": [";
  for (const Turn& turn : dialogue.turns) {
    line += line.ends_with('[') ? "{" : ", {";
    if (!turn.speaker.empty()) line += "\"speaker\": " + quoted(turn.speaker) + ", ";
    line += "\"text\": " + quoted(turn.text);
    line += turn.distraction ? ", \"distraction\": true}" : "}";
  }
  return line + "]}\n";
}

}  // namespace

void add_message(Dialogue& dialogue, std::string_view speaker, std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == text.npos) return;
  if (dialogue.turns.empty() || dialogue.turns.back().speaker != speaker) {
    dialogue.turns.push_back({std::string(speaker), std::string(text)});
  } else {
    dialogue.turns.back().text.append(" ").append(text);
  }
}

std::vector<Dialogue> read_dialogues(const std::string& path, const Reading& reading) {
  LineReader reader(path);
  std::vector<Dialogue> dialogues;
  for (std::string_view line; !reading.enough(dialogues.size()) && reader.next(line);) {
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    DialogueBuilder builder;
    if (!Json::sax_parse(line.data(), line.data() + line.size(), &builder)) {
      reader.fail(builder.error + (dialogues.empty() ? kFormatHint : ""));
    }
    if (builder.dialogue.id.empty()) {
      builder.dialogue.id = "line-" + std::to_string(reader.line_number());
    }
    dialogues.push_back(std::move(builder.dialogue));
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

std::string find_part(const std::string& directory, const std::string& part) {
  namespace fs = std::filesystem;
  const std::string plain = part + ".jsonl", gzip = part + ".jsonl.gz";
  std::error_code ignored;
  if (!fs::is_directory(directory, ignored)) {
    throw DataError(directory + ": not a directory; a data directory holds " + plain + " or " +
                    gzip + "; `heed prepare text` and `split` make one");
  }
  for (const std::string& name : {plain, gzip}) {
    const fs::path path = fs::path(directory) / name;
    if (fs::exists(path, ignored)) return path.string();
  }
  throw DataError(directory + ": holds neither " + plain + " nor " + gzip +
                  "; `heed prepare split` makes them");
}

std::string find_dialogues(const std::string& path, const std::string& part) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) ? find_part(path, part) : path;
}

}  // namespace heed
