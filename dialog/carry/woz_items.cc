#include "dialog/carry/woz_items.h"

#include <filesystem>
#include <set>

#include "base/error.h"
#include "base/path.h"
#include "dialog/data/formats/records_json.h"
#include "dialog/text/word_bytes.h"

namespace heed::carry {
namespace {

namespace fs = std::filesystem;
using SlotValue = std::pair<std::string, std::string>;

// "" if there is none.
std::string woz_file(const std::string& folder, const std::string& part) {
  const std::string name = "woz_" + (part == "valid" ? "validate" : part) + "_en.json";
  const std::string path = (fs::path(folder) / name).string();
  for (const std::string& file : {path, path + ".gz"}) {
    if (path_exists(file)) return file;
  }
  return "";
}

// Of values in lower case.
std::set<SlotValue> state_of(const JsonRecord& record, const nlohmann::json& turn) {
  std::set<SlotValue> state;
  for (const nlohmann::json& part : record.list(turn, "belief_state")) {
    if (record.text(part, "act") != "inform") continue;
    for (const nlohmann::json& pair : record.list(part, "slots")) {
      const auto [slot, value] = record.slot_value(pair, "slots");
      state.insert({slot, lower_case(value)});
    }
  }
  return state;
}

void read_dialogue(JsonRecord& record, const std::function<void(Item)>& take) {
  const auto id = record.json().find("dialogue_idx");
  if (id == record.json().end() || !id->is_number_integer()) {
    record.fail("\"dialogue_idx\" must be a whole number");
  }
  Item item{.id = {}, .dialogue = id->dump(), .labelled = true};
  const nlohmann::json& turns = record.list(record.json(), "dialogue");
  for (size_t i = 0; i < turns.size(); ++i) {
    record.in_turn(i + 1);
    const std::string &system = record.text(turns[i], "system_transcript"),
                      &user = record.text(turns[i], "transcript");
    if (i > 0 || !is_blank(system)) item.turns.push_back({"system", system});
    item.turns.push_back({"user", user});
    for (const nlohmann::json& pair : record.list(turns[i], "turn_label")) {
      const auto [slot, value] = record.slot_value(pair, "turn_label");
      if (slot == "request") continue;
      check_mention(record, slot, value, user);
      const auto [begin, end] = span_of(user, value);
      item.candidates.push_back({.turn = static_cast<int32_t>(item.turns.size()) - 1,
                                 .key = slot,
                                 .value = value,
                                 .begin = begin,
                                 .end = end});
    }
    const std::set<SlotValue> state = state_of(record, turns[i]);
    item.carry.clear();
    for (const Candidate& c : item.candidates) {
      item.carry.push_back(state.contains({c.key, lower_case(c.value)}));
    }
    item.id = item.dialogue + "#" + std::to_string(item.turns.size());
    take(item);
  }
}

}  // namespace

bool is_woz(const std::string& folder) {
  return !woz_file(folder, "train").empty();
}

std::string find_woz(const std::string& folder, const std::string& part) {
  const std::string file = woz_file(folder, part);
  if (file.empty()) throw DataError(folder + ": has no part " + part + " of WOZ 2.0");
  return file;
}

void for_each_woz_item(const std::string& path, const std::function<void(Item)>& take) {
  size_t dialogues = 0;
  read_records(path, Braces::kLines, [&](JsonRecord& record) {
    ++dialogues;
    read_dialogue(record, take);
    return true;
  });
  if (dialogues == 0) throw DataError(path + ": holds no dialogue");
}

}  // namespace heed::carry
