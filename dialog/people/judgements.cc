#include "dialog/people/judgements.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/error.h"
#include "train/strict_json.h"

namespace heed::people {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxName = 1024;  // bytes of an item and of an annotator
constexpr int64_t kMaxRound = 1000;

// "\"real\" or \"fake\""
std::string one_of(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    text += i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
    text += in_quotes(words[i]);
  }
  return text;
}

// The objects of a file of JSON Lines, and their members with errors that say where.
class Lines {
 public:
  Lines(const std::string& path, const char* example) : lines_(path), example_(example) {}

  bool next() {
    if (!next_object(lines_, object_, "expected a JSON object " + std::string(example_))) {
      return false;
    }
    note_simulated();
    return true;
  }
  [[noreturn]] void fail(const std::string& rule) const { lines_.fail(rule); }
  bool has(const char* key) const { return object_.contains(key); }
  bool simulated() const { return simulated_.value_or(false); }

  // A string or a whole number, as text.
  std::string name(const char* key) const {
    const Json& value = member(key);
    if (value.is_number_integer()) return value.dump();
    if (!value.is_string() || value.get_ref<const std::string&>().empty() ||
        value.get_ref<const std::string&>().size() > kMaxName) {
      fail(quoted(key) + " must be a string of 1 to " + std::to_string(kMaxName) +
           " bytes or a whole number");
    }
    return value.get<std::string>();
  }
  bool flag(const char* key, bool otherwise) const {
    if (!has(key)) return otherwise;
    if (!member(key).is_boolean()) fail(quoted(key) + " must be true or false");
    return member(key).get<bool>();
  }
  int choice(const char* key, const std::vector<std::string>& words) const {
    const Json& value = member(key);
    const auto found = value.is_string() ? std::find(words.begin(), words.end(),
                                                     value.get_ref<const std::string&>())
                                         : words.end();
    if (found == words.end()) fail(quoted(key) + " must be " + one_of(words));
    return static_cast<int>(found - words.begin());
  }
  double probability(const char* key) const {
    const Json& value = member(key);
    const double p = value.is_number() ? value.get<double>() : -1;
    if (!(p >= 0 && p <= 1)) fail(quoted(key) + " must be a number from 0 to 1");
    return p;
  }
  int round() const {
    if (!has("round")) return 1;
    const Json& value = member("round");
    if (!value.is_number_integer() || value < 1 || value > kMaxRound) {
      fail("\"round\" must be a whole number from 1 to " + std::to_string(kMaxRound));
    }
    return value.get<int>();
  }

 private:
  static std::string quoted(const char* key) { return "\"" + std::string(key) + "\""; }
  const Json& member(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) fail("there is no " + quoted(key));
    return *found;
  }
  void note_simulated() {
    const bool here = flag("simulated", false);
    if (simulated_.value_or(here) != here) {
      fail("simulated lines and lines of people cannot stand in one file");
    }
    simulated_ = here;
  }

  LineReader lines_;
  const char* example_;
  Json object_;
  std::optional<bool> simulated_;
};

KeyItem key_item(const Lines& line, Task task) {
  KeyItem item{.id = line.name("item"), .check = line.flag("check", false)};
  if (task == Task::kRealOrFake) {
    if (!line.has("real")) line.fail("there is no \"real\": is this the key of these items?");
    item.truth = line.flag("real", false) ? kReal : kFake;
    return item;
  }
  if (line.has("real")) line.fail("\"real\" is of another task: is this the key of these pairs?");
  item.swapped = line.flag("swapped", false);
  item.identical = line.flag("identical", false);
  if (item.check) item.truth = line.choice("expected", choices(task));
  return item;
}

constexpr const char* kKeyExample[] = {"{\"item\": ..., \"real\": true or false}",
                                       "{\"item\": ..., \"identical\": true or false}"};
constexpr const char* kJudgementExample[] = {
    "{\"item\": ..., \"annotator\": ..., \"choice\": \"real\" or \"fake\"}",
    "{\"item\": ..., \"annotator\": ..., \"choice\": \"a\", \"b\" or \"tie\"}"};

// The index of each item.
std::map<std::string, size_t> places_of(const Key& key) {
  std::map<std::string, size_t> places;
  for (size_t i = 0; i < key.items.size(); ++i) places[key.items[i].id] = i;
  return places;
}

Judgements read(const std::string& path, Task task, Key& key, bool adds_items) {
  Lines lines(path, kJudgementExample[static_cast<int>(task)]);
  std::map<std::string, size_t> places = places_of(key), annotators;
  std::set<std::pair<size_t, size_t>> seen;
  std::set<std::pair<size_t, int>> rounds;
  Judgements result;
  while (lines.next()) {
    const std::string id = lines.name("item");
    const auto [item, is_new_item] = places.emplace(id, key.items.size());
    if (is_new_item && !adds_items) lines.fail("the item " + in_quotes(id) + " is not in the key");
    if (is_new_item) key.items.push_back({.id = id});
    Judgement judgement{.item = item->second,
                        .choice = lines.choice("choice", choices(task)),
                        .round = lines.round()};
    const std::string name = lines.name("annotator");
    const auto [annotator, is_new] = annotators.emplace(name, annotators.size());
    if (is_new) result.annotators.push_back(name);
    judgement.annotator = annotator->second;
    if (!seen.emplace(judgement.annotator, judgement.item).second) {
      lines.fail("the annotator " + in_quotes(name) + " judges the item " + in_quotes(id) +
                 " twice");
    }
    // A round has one judgement of a pair.
    if (task == Task::kPairs && !rounds.emplace(judgement.item, judgement.round).second) {
      lines.fail("the item " + in_quotes(id) + " has two judgements in round " +
                 std::to_string(judgement.round) + "; \"round\" tells them apart");
    }
    result.list.push_back(judgement);
  }
  if (result.list.empty()) throw DataError(path + ": holds no judgement");
  if (adds_items) key.simulated = lines.simulated();
  if (lines.simulated() != key.simulated) {
    throw DataError(path + ": " +
                    (key.simulated ? "judgements of people" : "simulated judgements") +
                    ", and a key that is " + (key.simulated ? "simulated" : "not"));
  }
  return result;
}

}  // namespace

const std::vector<std::string>& choices(Task task) {
  static const std::vector<std::string> kOf[] = {{"real", "fake"}, {"a", "b", "tie"}};
  return kOf[static_cast<int>(task)];
}

Key read_key(const std::string& path, Task task) {
  Lines lines(path, kKeyExample[static_cast<int>(task)]);
  Key key;
  std::set<std::string> seen;
  while (lines.next()) {
    key.items.push_back(key_item(lines, task));
    const std::string& id = key.items.back().id;
    if (!seen.insert(id).second) lines.fail("the item " + in_quotes(id) + " stands there twice");
  }
  if (key.items.empty()) throw DataError(path + ": holds no item");
  key.simulated = lines.simulated();
  return key;
}

Judgements read_judgements(const std::string& path, Task task, const Key& key) {
  Key known = key;
  return read(path, task, known, false);
}

Judgements read_judgements_alone(const std::string& path, Task task, Key& key) {
  return read(path, task, key, true);
}

std::vector<double> read_predictions(const std::string& path, const Key& key) {
  const std::map<std::string, size_t> places = places_of(key);
  std::vector<double> p_real(key.items.size(), NAN);
  Lines lines(path, "{\"item\": ..., \"p_real\": ...}");
  while (lines.next()) {
    const std::string id = lines.name(lines.has("id") && !lines.has("item") ? "id" : "item");
    const auto found = places.find(id);
    if (found == places.end()) lines.fail("the item " + in_quotes(id) + " is not in the key");
    double& p = p_real[found->second];
    if (!std::isnan(p)) lines.fail("the item " + in_quotes(id) + " stands there twice");
    p = lines.probability("p_real");
  }
  for (size_t i = 0; i < p_real.size(); ++i) {
    if (key.items[i].check || !std::isnan(p_real[i])) continue;
    throw DataError(path + ": has no line of the item " + in_quotes(key.items[i].id));
  }
  return p_real;
}

}  // namespace heed::people
