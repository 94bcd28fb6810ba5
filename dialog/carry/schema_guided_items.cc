#include "dialog/carry/schema_guided_items.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/path.h"
#include "dialog/data/formats/records_json.h"
#include "dialog/text/word_bytes.h"

namespace heed::carry {
namespace {

namespace fs = std::filesystem;
using Services = std::map<std::string, std::vector<std::string>>;  // their slots

struct Mention {
  int32_t turn;
  std::string service, slot, said, value;  // value: the canonical one
};
struct Frame {
  const std::string& dialogue;
  const std::vector<Turn>& turns;
  const std::vector<Mention>& mentions;
  std::string service, intent;
  std::map<std::string, std::set<std::string>> state;  // lower-case values of a slot

  bool holds(const std::string& slot, const Mention& m) const;
};

bool Frame::holds(const std::string& slot, const Mention& m) const {
  const auto found = state.find(slot);
  return found != state.end() && (found->second.contains(lower_case(m.said)) ||
                                  found->second.contains(lower_case(m.value)));
}

// "FindRestaurants" -> "find restaurants"
std::string words_of_intent(const std::string& intent) {
  if (intent == "NONE") return "";
  std::string words;
  for (const char c : intent) {
    if (c >= 'A' && c <= 'Z' && !words.empty()) words += ' ';
    words += c;
  }
  return lower_case(words);
}

void add_mentions(const JsonRecord& record, const nlohmann::json& frame,
                  const std::vector<Turn>& turns, std::vector<Mention>& mentions) {
  const int32_t turn = static_cast<int32_t>(turns.size()) - 1;
  static const std::set<std::string> kOther = {"REQUEST", "SELECT", "REQUEST_ALTS", "INFORM_COUNT"};
  for (const nlohmann::json& action : record.list(frame, "actions")) {
    const std::string& slot = record.text(action, "slot");
    if (slot.empty() || slot == "intent" || kOther.contains(record.text(action, "act"))) continue;
    const std::vector<std::string> said = record.texts(action, "values");
    std::vector<std::string> values = said;
    if (action.contains("canonical_values") && !action["canonical_values"].empty()) {
      values = record.texts(action, "canonical_values");
    }
    for (size_t i = 0; i < std::min(said.size(), values.size()); ++i) {
      check_mention(record, slot, said[i], turns.back().text);
      check_mention(record, slot, values[i], turns.back().text);
      mentions.push_back({turn, record.text(frame, "service"), slot, said[i], values[i]});
    }
  }
}

Frame frame_of(const JsonRecord& record, const nlohmann::json& json, const std::string& dialogue,
               const std::vector<Turn>& turns, const std::vector<Mention>& mentions) {
  const nlohmann::json& state = record.map(json, "state");
  Frame frame{dialogue,
              turns,
              mentions,
              record.text(json, "service"),
              words_of_intent(record.text(state, "active_intent")),
              {}};
  const nlohmann::json& values = record.map(state, "slot_values");
  for (const auto& [slot, unused] : values.items()) {
    for (const std::string& value : record.texts(values, slot.c_str())) {
      frame.state[slot].insert(lower_case(value));
    }
  }
  return frame;
}

void read_dialogue(JsonRecord& record, const std::function<void(const Frame&)>& take) {
  const std::string& dialogue = record.text(record.json(), "dialogue_id");
  std::vector<Turn> turns;
  std::vector<Mention> mentions;
  for (const nlohmann::json& json : record.list(record.json(), "turns")) {
    record.in_turn(turns.size() + 1);
    const std::string& speaker = record.text(json, "speaker");
    if (speaker != "USER" && speaker != "SYSTEM") record.fail("\"speaker\" must be USER or SYSTEM");
    turns.push_back({lower_case(speaker), record.text(json, "utterance")});
    const nlohmann::json& frames = record.list(json, "frames");
    for (const nlohmann::json& frame : frames) {
      add_mentions(record, frame, turns, mentions);
    }
    for (const nlohmann::json& frame : frames) {
      if (speaker == "USER" && frame.contains("state")) {
        take(frame_of(record, frame, dialogue, turns, mentions));
      }
    }
  }
}

void for_each_frame(const SchemaGuidedPart& part, const std::function<void(const Frame&)>& take) {
  size_t dialogues = 0;
  for (const std::string& file : files_of_part(part.dialogues, "dialogues", ".json")) {
    read_records(file, Braces::kLines, [&](JsonRecord& record) {
      ++dialogues;
      read_dialogue(record, take);
      return true;
    });
  }
  if (dialogues == 0) throw DataError(part.dialogues + ": holds no dialogue");
}

Services read_schema(const std::string& path) {
  Services services;
  read_records(path, Braces::kLines, [&](JsonRecord& record) {
    std::vector<std::string>& slots = services[record.text(record.json(), "service_name")];
    for (const nlohmann::json& slot : record.list(record.json(), "slots")) {
      slots.push_back(record.text(slot, "name"));
    }
    return true;
  });
  return services;
}

Candidate candidate_of(const Frame& frame, const Mention& m, const std::string& key) {
  const auto [begin, end] = span_of(frame.turns[static_cast<size_t>(m.turn)].text, m.said);
  return {m.turn, key, m.value, m.service == frame.service ? "" : m.service, begin, end};
}

Item item_of(const Frame& frame, const SlotPairs& pairs, const std::vector<std::string>& slots) {
  Item item{.id = frame.dialogue + "#" + std::to_string(frame.turns.size()) + "/" + frame.service,
            .dialogue = frame.dialogue,
            .intent = frame.intent,
            .turns = frame.turns,
            .labelled = true};
  const auto add = [&](const Mention& m, const std::string& key) {
    item.candidates.push_back(candidate_of(frame, m, key));
    item.carry.push_back(frame.holds(key, m));
  };
  for (const Mention& m : frame.mentions) {
    const auto others = pairs.find(m.slot);
    if (m.service == frame.service) {
      add(m, m.slot);
    } else if (others != pairs.end()) {
      for (const std::string& slot : slots) {
        if (others->second.contains(slot)) add(m, slot);
      }
    }
  }
  return item;
}

}  // namespace

SchemaGuidedPart find_schema_guided(const std::string& folder, const std::string& part) {
  std::vector<std::string> names = {part};
  if (part == "valid") names.emplace_back("dev");
  for (const std::string& name : names) {
    const std::string path = (fs::path(folder) / name).string();
    if (is_folder(path)) return {path, path + "/schema.json"};
    for (const char* ending : {".jsonl", ".jsonl.gz", ".json", ".json.gz"}) {
      if (path_exists(path + ending)) return {path + ending, path + "_schema.json"};
    }
  }
  throw DataError(folder + ": has neither a folder " + names.back() + " nor a file " +
                  names.back() + ".jsonl of dialogues");
}

SlotPairs find_slot_pairs(const SchemaGuidedPart& train) {
  std::map<std::pair<std::string, std::string>, int> agreements;
  for_each_frame(train, [&](const Frame& frame) {
    std::set<std::vector<std::string>> counted;
    for (const Mention& m : frame.mentions) {
      if (m.service == frame.service) continue;
      for (const auto& [slot, unused] : frame.state) {
        if (!frame.holds(slot, m)) continue;
        if (counted.insert({m.slot, slot, m.said, m.value}).second) ++agreements[{m.slot, slot}];
      }
    }
  });
  SlotPairs pairs;
  for (const auto& [names, count] : agreements) {
    if (count >= kAgreements) pairs[names.first].insert(names.second);
  }
  return pairs;
}

std::set<std::string> find_services(const SchemaGuidedPart& part) {
  std::set<std::string> names;
  for (const auto& [name, unused] : read_schema(part.schema)) names.insert(name);
  return names;
}

void for_each_item(const SchemaGuidedPart& part, const SlotPairs& pairs,
                   const std::set<std::string>& services_of_train,
                   const std::function<void(Item)>& take) {
  const Services services = read_schema(part.schema);
  for_each_frame(part, [&](const Frame& frame) {
    const auto found = services.find(frame.service);
    if (found == services.end()) {
      throw DataError(part.schema + ": has no service " + frame.service + ", which dialogue " +
                      frame.dialogue + " has");
    }
    Item item = item_of(frame, pairs, found->second);
    item.unseen = !services_of_train.contains(frame.service);
    take(std::move(item));
  });
}

}  // namespace heed::carry
