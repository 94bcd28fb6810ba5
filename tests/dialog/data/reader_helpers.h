// What tests of readers need: dialogues as text, and the errors of small files.
#pragma once

#include <string>

#include "base/error.h"
#include "dialog/data/corpus.h"
#include "tests/file_helpers.h"

namespace heed {

// "act=a,b state=c"
inline std::string text_of(const Labels& labels) {
  std::string all;
  for (const auto& [name, values] : labels) {
    std::string list;
    for (const std::string& value : values) list += (list.empty() ? "" : ",") + value;
    if (!values.empty()) all += (all.empty() ? "" : " ") + name + "=" + list;
  }
  return all;
}

// "speaker:text|" for each turn.
inline std::string text_of(const Dialogue& dialogue) {
  std::string all;
  for (const Turn& turn : dialogue.turns) all += turn.speaker + ":" + turn.text + "|";
  return all;
}

// The message of the DataError that reading such a file gives, without the path that it begins
// with.
template <class Reader>
std::string error_reading(Reader reader, const std::string& name, const std::string& bytes) {
  const TempDir dir;
  const std::string path = dir.write(name, bytes);
  const std::string error = error_of<DataError>([&] { reader(path); });
  return error.starts_with(path) ? error.substr(path.size()) : error;
}

// `text` with its first `from` replaced; "" if it holds none.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  return at == text.npos ? "" : text.replace(at, from.size(), to);
}

}  // namespace heed
