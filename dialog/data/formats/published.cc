#include "dialog/data/formats/published.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/utf8.h"
#include "dialog/text/tokenizer.h"
#include "dialog/text/word_bytes.h"

namespace heed {

namespace fs = std::filesystem;

std::string label_value(std::string_view text) {
  std::string value;
  bool gap = false;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    if (is_white_space(next_code_point(text, at))) {
      gap = true;
      continue;
    }
    if (gap && !value.empty()) value += '_';
    gap = false;
    value += lower_case(text.substr(begin, at - begin));
  }
  return value;
}

const std::vector<std::string>& values_in(const Labels& labels, const std::string& label) {
  static const std::vector<std::string> kNone;
  const auto found = labels.find(label);
  return found == labels.end() ? kNone : found->second;
}

NameAndValue split_value(const std::string& label) {
  const size_t sign = label.find('=');
  if (sign == label.npos) return {label, ""};
  return {label.substr(0, sign), label.substr(sign + 1)};
}

bool add_turn(Published& corpus, Turn turn) {
  if (is_blank(turn.text)) {
    ++corpus.left_out["turns without text"];
    return false;
  }
  corpus.dialogues.back().turns.push_back(std::move(turn));
  return true;
}

std::vector<std::string> find_files(const std::string& folder, const std::string& ending) {
  std::vector<std::string> names;
  std::error_code error, ignored;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().lexically_relative(folder).generic_string();
    const bool fits = name.ends_with(ending) || name.ends_with(ending + ".gz");
    if (fits && entry->is_regular_file(ignored)) names.push_back(name);
  }
  if (error) throw DataError(folder + ": cannot list the folder: " + error.message());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace heed
