// Lists of texts in one text: "a, b".
#pragma once

#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

// The texts of(one) of a list, with `between` between them. Empty texts at its beginning are left
// out.
template <class List, class Of>
std::string joined(const List& list, std::string_view between, const Of& of) {
  std::string all;
  for (const auto& one : list) all.append(all.empty() ? "" : between).append(std::invoke(of, one));
  return all;
}
template <class Texts> std::string joined(const Texts& texts, std::string_view between = ", ") {
  return joined(texts, between, std::identity());
}

// The fields of a line: n separators make n + 1 fields.
inline std::vector<std::string> fields_of(std::string_view line, char sign) {
  std::vector<std::string> fields;
  while (true) {
    const size_t end = line.find(sign);
    fields.emplace_back(line.substr(0, end));
    if (end == line.npos) return fields;
    line.remove_prefix(end + 1);
  }
}

// The entries of a list, "a,b". The empty text has none; a separator at the end adds none.
inline std::vector<std::string> split(const std::string& text, char sign) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, sign);) parts.push_back(part);
  return parts;
}

}  // namespace heed
