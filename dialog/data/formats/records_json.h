// The records of JSON files, one at a time, and their members with errors that say where.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dialog/data/formats/published.h"

namespace heed {

// One record of a file. The functions throw DataError "path: dialogue 3, turn 2: rule" if a member
// is missing or of another type.
class JsonRecord {
 public:
  using Json = nlohmann::json;
  JsonRecord(const std::string& path, size_t number, const std::string& name, const Json& value)
      : path_(path), number_(number), name_(name), value_(value) {}

  const Json& json() const { return value_; }
  const std::string& name() const { return name_; }  // its key; "" in an array
  void in_turn(size_t number) { turn_ = number; }    // for error messages, from 1; 0: none
  [[noreturn]] void fail(const std::string& rule) const;

  const std::string& text(const Json& object, const char* key) const;
  const Json& list(const Json& object, const char* key) const;
  const Json& map(const Json& object, const char* key) const;
  // An array of texts.
  std::vector<std::string> texts(const Json& object, const char* key) const;
  // An array of two texts, an element of the list "what": a slot and its value.
  std::pair<std::string, std::string> slot_value(const Json& pair, const std::string& what) const;
  // Throws if a value, called `what`, is not a text.
  const std::string& as_text(const Json& value, const std::string& what) const;

 private:
  const Json& member(const Json& object, const char* key, Json::value_t type) const;

  const std::string& path_;
  size_t number_, turn_ = 0;
  const std::string& name_;
  const Json& value_;
};

// The content of a file that begins with '{'.
enum class Braces {
  kLines,   // JSON Lines: one record per line
  kMembers  // one object, whose members are the records
};

// Reads a JSON file, plain or gzip, and passes on its records, which are objects, in order: the
// elements of an array, or what `braces` says. The text, at most 1 GiB, and one record are in
// memory. `take` returns whether it wants more; the rest is not checked. Throws DataError
// "path:line: ..." for invalid JSON, nesting deeper than 64 and records that are not objects.
void read_records(const std::string& path, Braces braces,
                  const std::function<bool(JsonRecord&)>& take);

// The files of a part: `path` itself or, of a folder, those whose names begin and end so
// (find_files()).
std::vector<std::string> files_of_part(const std::string& path, const std::string& begin,
                                       const std::string& ending);

// Reads a corpus whose records are dialogues: `read` appends one to the corpus. Throws DataError
// also if there is none.
using ReadRecord = void (*)(JsonRecord&, Published&);
Published read_published(const std::string& path, Braces braces, const Reading& reading,
                         ReadRecord read);
// The same of JSON Lines or arrays in files_of_part().
Published read_published(const std::string& path, const std::string& begin,
                         const std::string& ending, const Reading& reading, ReadRecord read);

}  // namespace heed
