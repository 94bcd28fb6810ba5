#include "dialog/carry/items.h"

#include <algorithm>

#include "base/error.h"
#include "base/utf8.h"
#include "dialog/data/formats/records_json.h"
#include "dialog/parts/annotator_json.h"
#include "dialog/text/text_file.h"
#include "dialog/text/tokenizer.h"
#include "dialog/text/word_bytes.h"
#include "train/strict_json.h"

namespace heed::carry {
namespace {

using Json = nlohmann::ordered_json;

// The members of a line, with errors that say where.
class LineOf {
 public:
  LineOf(const LineReader& lines, Json line) : json(std::move(line)), lines_(lines) {}

  [[noreturn]] void fail(const std::string& rule) const { lines_.fail(rule); }
  const Json* find(const Json& object, const char* key) const {
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
  }
  std::string text(const Json& object, const char* key, const char* of, bool needed) const {
    const Json* found = find(object, key);
    if (!found && !needed) return "";
    if (!found || !found->is_string()) {
      fail("\"" + std::string(key) + "\" of " + of + " must be a string");
    }
    return found->get<std::string>();
  }
  bool flag(const Json& object, const char* key) const {
    const Json* found = find(object, key);
    if (found && !found->is_boolean()) fail("\"" + std::string(key) + "\" must be true or false");
    return found && found->get<bool>();
  }
  const Json& list(const char* key) const {
    const Json* found = find(json, key);
    if (!found || !found->is_array()) fail("\"" + std::string(key) + "\" must be a list");
    return *found;
  }
  // A whole number from 0 to below `end`.
  int32_t number(const Json& value, int64_t end, const std::string& what) const {
    const bool fits = value.is_number_integer() &&
                      !(value.is_number_unsigned() && value.get<uint64_t>() >= (1U << 31));
    const int64_t n = fits ? value.get<int64_t>() : -1;
    if (n < 0 || n >= end) {
      fail(what + " must be a whole number from 0 to " + std::to_string(end - 1) + ", got " +
           value.dump());
    }
    return static_cast<int32_t>(n);
  }

  const Json json;

 private:
  const LineReader& lines_;
};

// The bytes of code points [begin, end) of a text.
std::string part_of(const std::string& text, int32_t begin, int32_t end) {
  size_t at = 0, first = 0;
  for (int32_t i = 0; i < end; ++i) {
    if (i == begin) first = at;
    next_code_point(text, at);
  }
  return text.substr(first, at - first);
}

Candidate candidate_of(const LineOf& line, const Json& json, size_t number,
                       const std::vector<Turn>& turns) {
  const std::string what = "candidate " + std::to_string(number);
  if (!json.is_object()) line.fail(what + " must be an object");
  const Json* turn = line.find(json, "turn");
  if (!turn) line.fail(what + " has no \"turn\"");
  Candidate c{.turn = line.number(*turn, std::ssize(turns), "\"turn\" of " + what)};
  c.key = line.text(json, "key", what.c_str(), true);
  c.from = line.text(json, "from", what.c_str(), false);
  if (is_blank(c.key)) line.fail("\"key\" of " + what + " is empty");
  const std::string& text = turns[static_cast<size_t>(c.turn)].text;
  if (tokenize(text).empty()) {
    line.fail(what + " is of turn " + std::to_string(c.turn) + ", which has no words");
  }
  if (const Json* span = line.find(json, "span")) {
    if (!span->is_array() || span->size() != 2) {
      line.fail("\"span\" of " + what + " must be [begin, end]");
    }
    const int64_t size = count_code_points(text);
    c.begin = line.number((*span)[0], size, "the begin of the span of " + what);
    c.end = line.number((*span)[1], size + 1, "the end of the span of " + what);
    if (c.end <= c.begin) line.fail("the span of " + what + " ends where it begins, or before");
    c.value = part_of(text, c.begin, c.end);
    if (tokenize(c.value).empty()) line.fail("the span of " + what + " has no words");
  }
  if (json.contains("value")) {
    c.value = line.text(json, "value", what.c_str(), true);
    if (is_blank(c.value)) line.fail("\"value\" of " + what + " is empty");
  }
  if (c.value.empty()) line.fail(what + " has neither \"value\" nor \"span\"");
  return c;
}

void read_labels(const LineOf& line, Item& item) {
  item.labelled = true;
  item.carry.assign(item.candidates.size(), 0);
  for (const Json& value : line.list("carry")) {
    if (!value.is_number()) {
      line.fail("\"carry\" must be a list of places in \"candidates\", from 0, got " +
                value.dump());
    }
    if (item.carry.empty()) line.fail("\"carry\" names a candidate, and there is none");
    const int32_t place = line.number(value, std::ssize(item.carry), "a place in \"carry\"");
    if (item.carry[static_cast<size_t>(place)]++) {
      line.fail("\"carry\" has " + std::to_string(place) + " twice");
    }
  }
}

Item item_of(const LineOf& line, Labels labels) {
  Item item{.id = line.text(line.json, "id", "the item", false)};
  item.dialogue = line.text(line.json, "dialogue", "the item", false);
  item.intent = line.text(line.json, "intent", "the item", false);
  item.unseen = line.flag(line.json, "new");
  for (const Json& turn : line.list("turns")) {
    if (!turn.is_object()) line.fail("each turn must be an object");
    const std::string what = "turn " + std::to_string(item.turns.size());
    item.turns.push_back({line.text(turn, "speaker", what.c_str(), false),
                          line.text(turn, "text", what.c_str(), true)});
    item.turns.back().distraction = line.flag(turn, "distraction");
  }
  if (item.turns.empty()) line.fail("\"turns\" is empty");
  if (!line.json.contains("candidates")) {
    line.fail(
        "there is no \"candidates\", the values said so far; heed prepare carryover makes items");
  }
  for (const Json& json : line.list("candidates")) {
    item.candidates.push_back(candidate_of(line, json, item.candidates.size(), item.turns));
  }
  if (line.json.contains("carry")) {
    read_labels(line, item);
  } else if (labels == Labels::kNeeded) {
    line.fail("there is no \"carry\": the places of the candidates that hold, [] for none");
  }
  return item;
}

void keep_set(Item& item, const std::string& set) {
  if (set == "both") return;
  Item kept = item;
  kept.candidates.clear(), kept.carry.clear();
  for (size_t i = 0; i < item.candidates.size(); ++i) {
    if (item.candidates[i].from.empty() != (set == "same")) continue;
    kept.candidates.push_back(std::move(item.candidates[i]));
    if (item.labelled) kept.carry.push_back(item.carry[i]);
  }
  item = std::move(kept);
}

}  // namespace

std::vector<Item> read_items(const std::string& path, const ReadItems& reading) {
  LineReader lines(path);
  std::vector<Item> items;
  std::string dialogue;  // of the item before
  size_t count = 0, dialogues = 0;
  const char* expected =
      "expected {\"id\": ..., \"turns\": [...], \"candidates\": [...], \"carry\": [...]}";
  for (Json line; next_object(lines, line, expected);) {
    Item item = item_of(LineOf(lines, std::move(line)), reading.labels);
    if (item.id.empty()) item.id = "line-" + std::to_string(lines.line_number());
    if (item.dialogue.empty()) item.dialogue = item.id;
    if (count++ == 0 || item.dialogue != dialogue) ++dialogues;
    if (reading.limit > 0 && dialogues > reading.limit) break;
    dialogue = item.dialogue;
    if (reading.share < 1 && Rng(purpose_id(dialogue)).uniform() >= reading.share) continue;
    keep_set(item, reading.set);
    items.push_back(std::move(item));
  }
  if (count == 0) throw DataError(path + ": holds no item; heed prepare carryover makes them");
  return items;
}

std::pair<int32_t, int32_t> span_of(const std::string& text, const std::string& value) {
  const std::string in = lower_case(text), what = lower_case(value);
  const auto in_word = [&](size_t at) { return at < in.size() && is_of_word(in[at]); };
  for (size_t at = in.find(what); !what.empty() && at != in.npos; at = in.find(what, at + 1)) {
    if ((at > 0 && in_word(at - 1)) || in_word(at + what.size())) continue;
    const int64_t begin = count_code_points(std::string_view(text).substr(0, at));
    return {begin, begin + count_code_points(value)};
  }
  return {0, 0};
}

void check_mention(const JsonRecord& record, const std::string& slot, const std::string& value,
                   const std::string& turn) {
  if (is_blank(turn)) record.fail("a turn without words mentions a value");
  if (is_blank(value)) record.fail("a value of \"" + slot + "\" is empty");
}

std::string item_line(const Item& item) {
  Json json = {{"id", item.id}, {"dialogue", item.dialogue}};
  if (!item.intent.empty()) json["intent"] = item.intent;
  if (item.unseen) json["new"] = true;
  json["turns"] = Json::array();
  for (const Turn& turn : item.turns) {
    Json& written = json["turns"].emplace_back();
    written = {{"speaker", turn.speaker}, {"text", turn.text}};
    if (turn.distraction) written["distraction"] = true;
  }
  json["candidates"] = Json::array();
  for (const Candidate& c : item.candidates) {
    Json& written = json["candidates"].emplace_back();
    written = {{"turn", c.turn}, {"key", c.key}, {"value", c.value}};
    if (!c.from.empty()) written["from"] = c.from;
    if (c.end > c.begin) written["span"] = {c.begin, c.end};
  }
  if (item.labelled) {
    json["carry"] = Json::array();
    for (size_t i = 0; i < item.carry.size(); ++i) {
      if (item.carry[i]) json["carry"].push_back(i);
    }
  }
  return json_line(json);
}

Item distract(Item item, const std::vector<Item>& all, int count, Rng& rng) {
  for (int i = 0; i < count; ++i) {
    const auto is_other = [&](const Item& one) { return one.dialogue != item.dialogue; };
    auto other = all.end();
    for (int tries = 0; tries < 1000 && (other == all.end() || !is_other(*other)); ++tries) {
      other = all.begin() + static_cast<ptrdiff_t>(rng.below(all.size()));
    }
    if (!is_other(*other)) other = std::find_if(all.begin(), all.end(), is_other);
    if (other == all.end()) {
      throw DataError("distractions come from other dialogues, and there is none");
    }
    Turn turn = other->turns[rng.below(other->turns.size())];
    turn.distraction = true;
    const auto place = static_cast<int32_t>(rng.below(item.turns.size()));
    item.turns.insert(item.turns.begin() + place, std::move(turn));
    for (Candidate& c : item.candidates) c.turn += c.turn >= place;
  }
  return item;
}

}  // namespace heed::carry
