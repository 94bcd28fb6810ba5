#include "dialog/retrieve/score_file.h"

#include <map>

#include "base/error.h"
#include "dialog/parts/annotator_json.h"
#include "dialog/text/text_file.h"
#include "train/strict_json.h"

namespace heed::retrieve {
namespace {

using Json = nlohmann::ordered_json;

bool is_count(const Json& value) {
  return value.is_number_unsigned() || (value.is_number_integer() && value.get<int64_t>() >= 0);
}

ScoredList list_of(const Json& line, const LineReader& lines) {
  const auto array = [&](const char* key, bool (*fits)(const Json&),
                         const char* of) -> const Json& {
    const auto found = line.find(key);
    const bool ok =
        found != line.end() && found->is_array() && std::all_of(found->begin(), found->end(), fits);
    if (!ok) lines.fail("\"" + std::string(key) + "\" must be an array of " + of);
    return *found;
  };
  ScoredList list{.id = "line-" + std::to_string(lines.line_number())};
  if (const auto id = line.find("id"); id != line.end()) {
    if (!id->is_string() && !id->is_number()) lines.fail("\"id\" must be a string or a number");
    list.id = id->is_string() ? id->get<std::string>() : id->dump();
  }
  const auto is_number = [](const Json& value) { return value.is_number(); };
  list.scores = array("scores", is_number, "numbers").get<std::vector<double>>();
  list.right = array("right", is_count, "places in \"scores\", from 0").get<std::vector<size_t>>();
  try {
    Ranks{list};
  } catch (const DataError& error) {
    lines.fail(error.what());
  }
  return list;
}

}  // namespace

std::vector<ScoredList> read_scores(const std::string& path) {
  std::vector<ScoredList> lists;
  std::map<uint64_t, int> numbers;  // of conversations
  LineReader lines(path);
  for (Json line; next_object(lines, line, "expected {\"right\": [0], \"scores\": [...]}");) {
    ScoredList& list = lists.emplace_back(list_of(line, lines));
    list.conversation = static_cast<int>(lists.size()) - 1;
    const auto found = line.find("conversation");
    if ((found == line.end()) != numbers.empty() && lists.size() > 1) {
      lines.fail("\"conversation\" must stand in all lines or in none");
    }
    if (found == line.end()) continue;
    if (!is_count(*found)) lines.fail("\"conversation\" must be a whole number from 0 on");
    const auto number = static_cast<int>(numbers.size());
    list.conversation = numbers.try_emplace(found->get<uint64_t>(), number).first->second;
  }
  if (lists.empty()) throw DataError(path + ": holds no scores");
  return lists;
}

std::string score_line(const ScoredList& list) {
  const Ranks ranks(list);
  Json line = {{"id", list.id},         {"conversation", list.conversation},
               {"rank", ranks.first()}, {"ties", ranks.ties()},
               {"right", list.right},   {"scores", list.scores}};
  if (!list.attention.empty()) line["attention"] = list.attention;
  return json_line(line);
}

}  // namespace heed::retrieve
