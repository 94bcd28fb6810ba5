#include "dialog/data/formats/records_json.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/json.h"
#include "dialog/text/text_file.h"
#include "train/strict_json.h"

namespace heed {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxTextBytes = size_t{1} << 30;
constexpr size_t kMaxDepth = 64;
constexpr std::string_view kBlanks = " \t\r\n";

// "array" -> "an array"
std::string with_article(const std::string& type) {
  if (type == "null") return type;
  return (std::string_view("aeiou").find(type[0]) == std::string_view::npos ? "a " : "an ") + type;
}

// The records of a text, cut out of it one by one without building the whole.
class Records {
 public:
  Records(const std::string& path, std::string_view text, Braces braces)
      : path_(path), text_(text) {
    skip_blanks();
    if (at_ == text.size()) throw DataError(path + ": holds no dialogue");
    if (next() != '[' && next() != '{') {
      fail(
          "not valid JSON: a '[' or '{' must come first (heed prepare text reads texts, csv "
          "tables)");
    }
    if (next() == '{' && braces == Braces::kLines) return;
    close_ = next() == '[' ? ']' : '}';
    ++at_;
  }

  // The next one, and its name if it is a member; false after the last one.
  bool next_record(Json& value, std::string& name) {
    if (!find_next()) return false;
    if (close_ == '}') name = read_name();
    const size_t begin = at_;
    value = parse(end_of_value());
    if (!value.is_object()) {
      at_ = begin;
      fail("each dialogue must be an object, got " + with_article(value.type_name()));
    }
    is_first_ = false;
    return true;
  }

 private:
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size()); }
  void expect(char c) {
    if (next() != c) fail(std::string("not valid JSON: expected '") + c + "'");
    ++at_;
    skip_blanks();
  }
  [[noreturn]] void fail(const std::string& rule) const {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + std::ptrdiff_t(at_), '\n');
    throw DataError(path_ + ":" + std::to_string(line) + ": " + rule);
  }

  bool find_next() {
    skip_blanks();
    if (close_ == '\0') return at_ < text_.size();
    if (next() != close_) {
      if (!is_first_) expect(',');
      return true;
    }
    ++at_;
    skip_blanks();
    if (at_ < text_.size()) fail("not valid JSON: something follows the end");
    return false;
  }

  std::string read_name() {
    if (next() != '"') fail("not valid JSON: expected a name in quotes");
    const Json name = parse(end_of_string(at_));
    skip_blanks();
    expect(':');
    return name.get<std::string>();
  }

  // The text from here to `end` as JSON, and moves there.
  Json parse(size_t end) {
    const std::string_view part = text_.substr(at_, end - at_);
    try {
      Json value = Json::parse(part.begin(), part.end(),
                               strict<Json>([&](const std::string& rule) { fail(rule); }));
      at_ = end;
      return value;
    } catch (const Json::parse_error& error) {
      at_ = std::min(at_ + error.byte, text_.size());
      fail("not valid JSON: " + json_reason(error.what()));
    } catch (const Json::out_of_range& error) {  // 1e999
      fail("not valid JSON: " + json_reason(error.what()));
    }
  }

  // Behind the string whose first quote stands at `at`.
  size_t end_of_string(size_t at) const {
    for (++at; at < text_.size() && text_[at] != '"'; ++at) at += text_[at] == '\\';
    return std::min(at + 1, text_.size());
  }

  // Behind the value that begins here.
  size_t end_of_value() const {
    size_t depth = 0;
    for (size_t at = at_; at < text_.size();) {
      const char c = text_[at];
      at = c == '"' ? end_of_string(at) : at + 1;
      if (c == '[' || c == '{') {
        if (++depth > kMaxDepth) fail("nested deeper than " + std::to_string(kMaxDepth));
      } else if (c == ']' || c == '}') {
        if (depth <= 1) return depth == 1 ? at : at - 1;
        --depth;
      } else if (depth == 0 && c == ',') {
        return at - 1;
      }
    }
    return text_.size();
  }

  const std::string& path_;
  std::string_view text_;
  size_t at_ = 0;
  char close_ = '\0';  // of the array or object; 0 for JSON Lines
  bool is_first_ = true;
};

}  // namespace

void JsonRecord::fail(const std::string& rule) const {
  std::string where = path_ + ": dialogue " + std::to_string(number_);
  if (!name_.empty()) where += " (" + name_.substr(0, 60) + ")";
  throw DataError(where + (turn_ > 0 ? ", turn " + std::to_string(turn_) : "") + ": " + rule);
}

const std::string& JsonRecord::as_text(const Json& value, const std::string& what) const {
  if (!value.is_string()) fail(what + " must be a string, got " + with_article(value.type_name()));
  return value.get_ref<const std::string&>();
}

const Json& JsonRecord::member(const Json& object, const char* key, Json::value_t type) const {
  if (!object.is_object()) {
    fail("expected an object with \"" + std::string(key) + "\", got " +
         with_article(object.type_name()));
  }
  const auto found = object.find(key);
  if (found == object.end()) fail("there is no \"" + std::string(key) + "\"");
  if (found->type() != type) {
    fail("\"" + std::string(key) + "\" must be " + with_article(Json(type).type_name()) + ", got " +
         with_article(found->type_name()));
  }
  return *found;
}

const std::string& JsonRecord::text(const Json& object, const char* key) const {
  return member(object, key, Json::value_t::string).get_ref<const std::string&>();
}
const Json& JsonRecord::list(const Json& object, const char* key) const {
  return member(object, key, Json::value_t::array);
}
const Json& JsonRecord::map(const Json& object, const char* key) const {
  return member(object, key, Json::value_t::object);
}

std::vector<std::string> JsonRecord::texts(const Json& object, const char* key) const {
  std::vector<std::string> result;
  for (const Json& value : list(object, key)) {
    result.push_back(as_text(value, "each value in \"" + std::string(key) + "\""));
  }
  return result;
}

void read_records(const std::string& path, Braces braces,
                  const std::function<bool(JsonRecord&)>& take) {
  const std::string text = read_text(path, kMaxTextBytes);
  Records records(path, text, braces);
  Json value;
  std::string name;
  for (size_t number = 1; records.next_record(value, name); ++number) {
    JsonRecord record(path, number, name, value);
    if (!take(record)) return;
  }
}

static void append_published(const std::string& path, Braces braces, const Reading& reading,
                             ReadRecord read, Published& corpus) {
  read_records(path, braces, [&](JsonRecord& record) {
    if (reading.enough(corpus.dialogues.size())) return false;
    read(record, corpus);
    return true;
  });
}

Published read_published(const std::string& path, Braces braces, const Reading& reading,
                         ReadRecord read) {
  Published corpus;
  append_published(path, braces, reading, read, corpus);
  if (corpus.dialogues.empty()) throw DataError(path + ": holds no dialogue");
  return corpus;
}

Published read_published(const std::string& path, const std::string& begin,
                         const std::string& ending, const Reading& reading, ReadRecord read) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return read_published(path, Braces::kLines, reading, read);
  Published corpus;
  for (const std::string& name : find_files(path, ending)) {
    if (!fs::path(name).filename().string().starts_with(begin)) continue;
    if (reading.limit > 0 && corpus.dialogues.size() >= reading.limit) break;
    append_published((fs::path(path) / name).string(), Braces::kLines, reading, read, corpus);
  }
  if (corpus.dialogues.empty()) {
    throw DataError(path + ": holds no dialogue in a file " + begin + "*" + ending);
  }
  return corpus;
}

}  // namespace heed
