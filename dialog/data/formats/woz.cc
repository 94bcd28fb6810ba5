#include "dialog/data/formats/corpora.h"

#include <algorithm>
#include <utility>

#include "dialog/data/formats/records_json.h"

namespace heed {
namespace {

using Json = nlohmann::json;
using SlotValue = std::pair<std::string, std::string>;

SlotValue pair_of(const JsonRecord& record, const Json& pair, const std::string& what) {
  const auto [slot, value] = record.slot_value(pair, what);
  return {label_value(slot), label_value(value)};
}

// A text is a slot that is asked for, a pair what the system offers or wants to hear again.
std::vector<std::string> system_acts(const JsonRecord& record, const Json& turn) {
  std::vector<std::string> acts;
  for (const Json& act : record.list(turn, "system_acts")) {
    if (act.is_string()) {
      acts.push_back("request " + label_value(act.get<std::string>()));
    } else {
      const auto [slot, value] = pair_of(record, act, "system_acts");
      acts.push_back("confirm " + slot + "=" + value);
    }
  }
  return acts;
}

std::vector<std::string> user_acts(const JsonRecord& record, const Json& turn) {
  std::vector<std::string> acts;
  for (const Json& said : record.list(turn, "turn_label")) {
    const auto [slot, value] = pair_of(record, said, "turn_label");
    acts.push_back(slot == "request" ? "request " + value : "inform " + slot + "=" + value);
  }
  return acts;
}

std::vector<std::string> state_of(const JsonRecord& record, const Json& turn) {
  std::map<std::string, std::string> state;
  for (const Json& part : record.list(turn, "belief_state")) {
    const bool informs = record.text(part, "act") == "inform";
    for (const Json& pair : record.list(part, "slots")) {
      const SlotValue known = pair_of(record, pair, "slots");
      if (informs) state.insert(known);
    }
  }
  std::vector<std::string> labels;
  for (const auto& [slot, value] : state) labels.push_back(slot + "=" + value);
  return labels;
}

void read_woz_dialogue(JsonRecord& record, Published& corpus) {
  const Json& turns = record.list(record.json(), "dialogue");
  const auto id = record.json().find("dialogue_idx");
  if (id == record.json().end() || !id->is_number_integer()) {
    record.fail("\"dialogue_idx\" must be a whole number");
  }
  corpus.dialogues.push_back({id->dump(), {}});
  for (size_t i = 0; i < turns.size(); ++i) {
    record.in_turn(i + 1);
    Turn system{"system", record.text(turns[i], "system_transcript")};
    Turn user{"user", record.text(turns[i], "transcript")};
    system.notes.edit().labels["act"] = system_acts(record, turns[i]);
    user.notes.edit().labels["act"] = user_acts(record, turns[i]);
    user.notes.edit().labels["state"] = state_of(record, turns[i]);
    if (i > 0 || !is_blank(system.text)) add_turn(corpus, std::move(system));
    add_turn(corpus, std::move(user));
  }
}

}  // namespace

Published read_woz(const std::string& path, const Reading& reading) {
  return read_published(path, Braces::kLines, reading, read_woz_dialogue);
}

}  // namespace heed
