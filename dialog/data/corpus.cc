#include "dialog/data/corpus.h"

#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/json.h"
#include "dialog/text/text_file.h"

namespace heed {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxNesting = 64;

// For files that are wrong from the start, so perhaps of another kind.
constexpr const char* kFormatHint =
    "; dialogues are JSON Lines (docs/files.md), which `heed prepare` makes of other files";

enum class Type { kNull, kBoolean, kNumber, kString, kArray, kObject };
constexpr const char* kTypeNames[] = {"null",     "true or false", "a number",
                                      "a string", "an array",      "an object"};

// The value that comes next, and the types that it may have.
enum Field {
  kLine,
  kId,
  kTurns,
  kTurn,
  kDialogueLabels,
  kPersonas,
  kSpeaker,  // from here on: of a turn
  kText,
  kDistraction,
  kTurnLabels,
  kCandidates,
  kLabel,  // one of kDialogueLabels, kPersonas or kTurnLabels
  kValue,  // in the list of a kLabel or of kCandidates
  kOther
};
struct FieldRule {
  const char* name;
  std::initializer_list<Type> types;
};
const FieldRule kRules[] = {{"the line", {Type::kObject}},
                            {"id", {Type::kString, Type::kNumber}},
                            {"turns", {Type::kArray}},
                            {"each turn", {Type::kObject}},
                            {"labels", {Type::kObject}},
                            {"personas", {Type::kObject}},
                            {"speaker", {Type::kString}},
                            {"text", {Type::kString}},
                            {"distraction", {Type::kBoolean}},
                            {"labels", {Type::kObject}},
                            {"candidates", {Type::kArray}},
                            {"each label", {Type::kString, Type::kArray}},
                            {"each value in a list", {Type::kString}}};

// Makes a Dialogue of the events of the JSON parser; values of unknown keys are skipped whatever
// they hold. A callback that returns false stops the parser; `error` then says why.
class DialogueBuilder {
 public:
  explicit DialogueBuilder(bool notes) : notes_(notes) {}

  Dialogue dialogue;
  std::string error;

  bool null() { return check(Type::kNull); }
  bool number_integer(Json::number_integer_t value) { return number(std::to_string(value)); }
  bool number_unsigned(Json::number_unsigned_t value) { return number(std::to_string(value)); }
  bool number_float(Json::number_float_t, const std::string& text) { return number(text); }
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
    if (field_ == kLabel || field_ == kValue) list_->push_back(value);
    return true;
  }

  bool key(std::string& name) {
    if (skipped_depth_ > 0) return true;
    const auto twice = [&] { return fail("\"" + name + "\" is given twice"); };
    if (open_.back() != kLine && open_.back() != kTurn) {
      const auto [place, is_new] = labels_->try_emplace(name);
      list_ = &place->second;
      field_ = kLabel;
      return is_new || twice();
    }
    field_ = open_.back() == kLine ? dialogue_field(name) : turn_field(name);
    if (field_ == kOther) return true;
    if (seen_[field_]) return twice();
    seen_[field_] = true;
    return true;
  }
  bool start_object(size_t) {
    if (!open(Type::kObject)) return false;
    if (skipping()) return true;
    if (field_ == kTurn) {
      dialogue.turns.emplace_back();
      std::fill(seen_ + kSpeaker, seen_ + kOther, false);
    }
    if (field_ == kTurnLabels) labels_ = &dialogue.turns.back().notes.edit().labels;
    if (field_ == kDialogueLabels) labels_ = &dialogue.notes.edit().labels;
    if (field_ == kPersonas) labels_ = &dialogue.notes.edit().personas;
    return true;
  }
  bool end_object() {
    if (close_skipped()) return true;
    if (open_.back() == kTurn && !seen_[kText]) {
      return fail("turn " + std::to_string(dialogue.turns.size()) + " has no \"text\"");
    }
    if (open_.back() == kLine && !seen_[kTurns]) return fail("the dialogue has no \"turns\"");
    close();
    return true;
  }
  bool start_array(size_t) {
    if (!open(Type::kArray)) return false;
    if (skipping()) return true;
    if (field_ == kCandidates) list_ = &dialogue.turns.back().notes.edit().candidates;
    field_ = field_ == kTurns ? kTurn : kValue;
    return true;
  }
  bool end_array() {
    if (close_skipped()) return true;
    close();
    return !dialogue.turns.empty() || !seen_[kTurns] || fail("\"turns\" is empty");
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
  Field dialogue_field(std::string_view name) const {
    if (name == "id") return kId;
    if (name == "turns") return kTurns;
    if (!notes_) return kOther;
    return name == "labels" ? kDialogueLabels : name == "personas" ? kPersonas : kOther;
  }
  Field turn_field(std::string_view name) const {
    if (name == "text") return kText;
    if (name == "speaker") return kSpeaker;
    if (name == "distraction") return kDistraction;
    if (!notes_) return kOther;
    return name == "labels" ? kTurnLabels : name == "candidates" ? kCandidates : kOther;
  }
  bool check(Type type) {
    if (skipping()) return true;
    const auto& types = kRules[field_].types;
    if (std::find(types.begin(), types.end(), type) != types.end()) return true;
    std::string expected;
    for (const Type allowed : types) {
      expected += (expected.empty() ? "" : " or ") + std::string(kTypeNames[int(allowed)]);
    }
    return fail(std::string(kRules[field_].name) + " must be " + expected + ", got " +
                kTypeNames[static_cast<int>(type)]);
  }
  bool number(std::string text) {
    if (!check(Type::kNumber)) return false;
    if (!skipping()) dialogue.id = std::move(text);
    return true;
  }
  bool open(Type type) {
    if (!check(type)) return false;
    if (open_.size() == kMaxNesting)
      return fail("nested deeper than " + std::to_string(kMaxNesting));
    open_.push_back(field_);
    if (skipping() && skipped_depth_ == 0) skipped_depth_ = open_.size();
    return true;
  }
  // After a turn another one may follow; after other containers a key or an end.
  void close() {
    open_.pop_back();
    field_ = kTurn;
  }
  bool close_skipped() {
    if (skipped_depth_ == 0) return false;
    if (open_.size() == skipped_depth_) skipped_depth_ = 0;
    open_.pop_back();
    return true;
  }

  bool notes_;
  Field field_ = kLine;
  std::vector<Field> open_;   // the containers that we are in
  size_t skipped_depth_ = 0;  // of open_ where the unknown one was opened; 0: in none
  bool seen_[kOther] = {};    // keys of this dialogue and of this turn
  Labels* labels_ = nullptr;  // that are read
  std::vector<std::string>* list_ = nullptr;
};

std::string quoted(const std::string& text) {
  return Json(text).dump();
}

// `, "key": ["a", "b"]`, or nothing for no values.
std::string list_json(const std::string& key, const std::vector<std::string>& values) {
  std::string list;
  for (const std::string& value : values) list += (list.empty() ? "" : ", ") + quoted(value);
  return values.empty() ? "" : ", " + key + ": [" + list + "]";
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
  for (std::string_view line; !reading.enough(dialogues.size()) && reader.next(line);) {
    if (is_blank(line)) continue;
    DialogueBuilder builder(reading.notes);
    if (!Json::sax_parse(line.data(), line.data() + line.size(), &builder)) {
      reader.fail(builder.error + (dialogues.empty() ? kFormatHint : ""));
    }
    if (builder.dialogue.id.empty()) {
      builder.dialogue.id = "line-" + std::to_string(reader.line_number());
    }
    builder.dialogue.turns.shrink_to_fit();
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

bool has_part(const std::string& directory, const std::string& part) {
  std::error_code ignored;
  const std::filesystem::path folder = directory;
  return std::filesystem::exists(folder / (part + ".jsonl"), ignored) ||
         std::filesystem::exists(folder / (part + ".jsonl.gz"), ignored);
}

std::string find_part(const std::string& directory, const std::string& part) {
  namespace fs = std::filesystem;
  const std::string plain = part + ".jsonl", gzip = part + ".jsonl.gz";
  std::error_code ignored;
  if (!fs::is_directory(directory, ignored)) {
    throw DataError(directory + ": not a directory; a data directory holds " + plain + " or " +
                    gzip + "; `heed prepare text` and `split` make one");
  }
  std::optional<std::string> found;
  for (const std::string& name : {plain, gzip}) {
    const fs::path path = fs::path(directory) / name;
    if (!fs::exists(path, ignored)) continue;
    if (!fs::is_regular_file(path, ignored)) {  // a pipe may never say anything
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
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) ? find_part(path, part) : path;
}

}  // namespace heed
