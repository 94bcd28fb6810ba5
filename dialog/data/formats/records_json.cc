#include "dialog/data/formats/records_json.h"

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "base/error.h"
#include "base/json.h"
#include "base/path.h"
#include "dialog/text/text_file.h"
#include "train/strict_json.h"

namespace heed {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxTextBytes = size_t{1} << 30;
constexpr size_t kMaxDepth = 64;

// "array" -> "an array"
std::string with_article(const std::string& type) {
  if (type == "null") return type;
  return (std::string_view("aeiou").find(type[0]) == std::string_view::npos ? "a " : "an ") + type;
}

struct Enough {};  // is thrown where no more records are wanted

// Reads the records of a text one by one, without building the whole.
class Records {
 public:
  Records(const std::string& path, std::string_view text,
          const std::function<bool(JsonRecord&)>& take)
      : path_(path), text_(text), json_(text, kMaxDepth + 1), take_(take) {}

  void read(Braces braces) {
    if (json_.at_end()) throw DataError(path_ + ": holds no dialogue");
    const Kind kind = json_.next();
    if (kind != Kind::array && kind != Kind::object) {
      fail(json_.at(),
           "not valid JSON: a '[' or '{' must come first (heed prepare text reads texts, csv "
           "tables)");
    }
    const bool lines = kind == Kind::object && braces == Braces::kLines;
    try {
      if (kind == Kind::array) json_.array([&] { read_record(""); });
      if (kind == Kind::object && !lines) json_.object([&](const auto& key) { read_record(key); });
      while (lines && !json_.at_end()) read_record("");
      json_.end();
    } catch (const JsonError& error) {
      if (error.too_deep) fail(begin_, "nested deeper than " + std::to_string(kMaxDepth));
      fail_json(lines ? begin_ : 0);
    } catch (const Enough&) {
    }
  }

 private:
  using Kind = JsonReader::Kind;

  [[noreturn]] void fail(size_t at, const std::string& rule) const {
    const auto end = text_.begin() + static_cast<ptrdiff_t>(std::min(at, text_.size()));
    const auto line = 1 + std::count(text_.begin(), end, '\n');
    throw DataError(path_ + ":" + std::to_string(line) + ": " + rule);
  }
  // Says what nlohmann-json finds wrong in the text from there on, of which it builds nothing.
  [[noreturn]] void fail_json(size_t begin) const {
    try {
      std::ignore = Json::parse(text_.substr(begin), [](auto...) { return false; });
    } catch (const Json::parse_error& error) {
      fail(begin + error.byte, "not valid JSON: " + json_reason(error.what()));
    }
    fail(json_.at(), "not valid JSON");
  }

  void read_record(const std::string& name) {
    json_.next();
    begin_ = json_.at();
    const Json value = strict_json(json_.skip(), [&](const auto& rule) { fail(begin_, rule); });
    if (!value.is_object()) {
      fail(begin_, "each dialogue must be an object, got " + with_article(value.type_name()));
    }
    JsonRecord record(path_, ++number_, name, value);
    if (!take_(record)) throw Enough();
  }

  const std::string& path_;
  std::string_view text_;
  JsonReader json_;
  const std::function<bool(JsonRecord&)>& take_;
  size_t begin_ = 0, number_ = 0;  // of the last record
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

std::pair<std::string, std::string> JsonRecord::slot_value(const Json& pair,
                                                           const std::string& what) const {
  if (!pair.is_array() || pair.size() != 2) {
    fail("each of \"" + what + "\" must be a pair of slot and value");
  }
  return {as_text(pair[0], "the slot of \"" + what + "\""),
          as_text(pair[1], "the value of \"" + what + "\"")};
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
  Records(path, text, take).read(braces);
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

std::vector<std::string> files_of_part(const std::string& path, const std::string& begin,
                                       const std::string& ending) {
  namespace fs = std::filesystem;
  if (!is_folder(path)) return {path};
  std::vector<std::string> files;
  for (const std::string& name : find_files(path, ending)) {
    if (!fs::path(name).filename().string().starts_with(begin)) continue;
    files.push_back((fs::path(path) / name).string());
  }
  return files;
}

Published read_published(const std::string& path, const std::string& begin,
                         const std::string& ending, const Reading& reading, ReadRecord read) {
  const std::vector<std::string> files = files_of_part(path, begin, ending);
  if (files == std::vector{path}) return read_published(path, Braces::kLines, reading, read);
  Published corpus;
  for (const std::string& file : files) {
    if (reading.limit > 0 && corpus.dialogues.size() >= reading.limit) break;
    append_published(file, Braces::kLines, reading, read, corpus);
  }
  if (corpus.dialogues.empty()) {
    throw DataError(path + ": holds no dialogue in a file " + begin + "*" + ending);
  }
  return corpus;
}

}  // namespace heed
