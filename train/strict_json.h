// nlohmann-json without what it overlooks: of two equal keys it takes the last, and it nests as
// deep as the stack holds.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace heed {

// For Json::parse(): calls fail(rule), which must throw, for a key that is given twice and for a
// text that is nested deeper than `depth`.
template <class Json, class Fail> auto strict(Fail fail, int depth = 64) {
  return [=, open = std::vector<std::set<std::string>>()](
             int at, typename Json::parse_event_t event, Json& parsed) mutable {
    using Event = typename Json::parse_event_t;
    if (at > depth) fail("nested deeper than " + std::to_string(depth));
    if (event == Event::object_start) open.emplace_back();
    if (event == Event::object_end) open.pop_back();
    if (event == Event::key && !open.back().insert(parsed.template get<std::string>()).second) {
      fail(parsed.dump() + " is given twice");
    }
    return true;
  };
}

// The value of a text, such as a line. Whatever is wrong with it goes to fail(rule), which must
// throw.
template <class Json = nlohmann::json, class Fail>
Json strict_json(std::string_view text, const Fail& fail) {
  try {
    return Json::parse(text, strict<Json>(fail));
  } catch (const typename Json::exception& e) {
    fail("not valid JSON: " + json_reason(e.what()));
    throw;
  }
}

// The next line of a file of JSON Lines, an object; false after the last one. Whatever is wrong
// goes to lines.fail(rule), what is no object with `expected`. `Lines` is LineReader.
template <class Json, class Lines>
bool next_object(Lines& lines, Json& object, const std::string& expected) {
  std::string_view line;
  if (!lines.next_not_blank(line)) return false;
  object = strict_json<Json>(line, [&](const std::string& rule) { lines.fail(rule); });
  if (!object.is_object()) lines.fail(expected);
  return true;
}

// A text as JSON writes it, for messages; it need not be valid UTF-8.
inline std::string in_quotes(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace heed
