// As much JSON as the core's files need: a pull parser, which returns one value at a time and
// stores none, and string literals.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace heed {

struct JsonError : DataError {
  explicit JsonError(const std::string& what, bool deep = false)
      : DataError(what), too_deep(deep) {}
  bool too_deep;
};

// Reads a text from beginning to end. It is strict (RFC 8259): UTF-8 only, no comments, no trailing
// commas. All functions throw JsonError if the text is not valid JSON or the value has another
// type.
class JsonReader {
 public:
  // Arrays and objects may nest `depth` deep. The text must outlive the reader.
  JsonReader(std::string_view text, int depth) : text_(text), depth_(depth) {}

  enum class Kind : uint8_t { object, array, string, number, other };  // other: true, false, null
  Kind next();                                                         // the kind of the next value

  // Reads an object. Calls member(name) for each member in turn, which must read or skip its value.
  void object(const std::function<void(const std::string& name)>& member);
  void array(const std::function<void()>& element);  // the same for each element
  std::string string();
  std::optional<uint64_t> number();  // nullopt if it is not an integer in [0, 2^64)
  std::string_view skip();           // a value of any kind; its text
  void end();                        // only white space may follow
  bool at_end();                     // whether nothing else follows
  size_t at() const { return at_; }  // the place in the text, behind what was read

 private:
  [[noreturn]] void fail() const;
  char peek();  // the next character that is no white space, or 0 at the end
  void expect(char c);
  bool take(char c);
  void digits();
  void list(char open, char close, const std::function<void()>& element);
  char32_t escaped();
  uint32_t hex4();

  std::string_view text_;
  size_t at_ = 0;
  int depth_;
};

// The text in quotation marks, with control characters, quotation marks and backslashes escaped.
std::string json_string(std::string_view text);

// What the library nlohmann-json, which the core does not use, says is wrong, without the rest of
// its message: "[json.exception.parse_error.101] parse error at line 1, column 9: syntax error
// while parsing value - invalid literal; last read: 'x'" gives "invalid literal".
std::string json_reason(std::string_view what);
// The same with its place, if the message names one: "line 1, column 9: invalid literal".
std::string json_problem(std::string_view what);
// The error for a file of heed's own, or one of its lines, that is not as heed writes it.
DataError damaged(const std::string& path, std::string_view what);

}  // namespace heed
