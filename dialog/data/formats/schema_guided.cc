#include "dialog/data/formats/corpora.h"

#include "dialog/data/formats/records_json.h"

namespace heed {
namespace {

using Json = nlohmann::json;
using State = std::map<std::string, std::string>;  // "restaurants_2-time" -> value

void read_actions(const JsonRecord& record, const Json& frame, Labels& labels) {
  for (const Json& action : record.list(frame, "actions")) {
    const std::string act = label_value(record.text(action, "act"));
    const std::string slot = label_value(record.text(action, "slot"));
    std::vector<std::string> values;
    if (action.contains("canonical_values")) values = record.texts(action, "canonical_values");
    if (values.empty()) values = record.texts(action, "values");
    if (slot.empty()) {
      labels["act"].push_back(act);
      continue;
    }
    if (values.empty()) values = {"?"};
    for (const std::string& value : values) {
      labels["act"].push_back(act + " " + slot + "=" + label_value(value));
    }
  }
}

// The service's own part of the state is replaced.
void read_state(const JsonRecord& record, const Json& frame, const std::string& service,
                State& state, Labels& labels) {
  const Json& json = record.map(frame, "state");
  const std::string prefix = service + "-";
  std::erase_if(state, [&](const auto& entry) { return entry.first.starts_with(prefix); });
  const Json& slots = record.map(json, "slot_values");
  for (const auto& [slot, unused] : slots.items()) {
    const std::vector<std::string> values = record.texts(slots, slot.c_str());
    if (!values.empty()) state[prefix + label_value(slot)] = label_value(values[0]);
  }
  const std::string intent = label_value(record.text(json, "active_intent"));
  if (intent != "none") labels["intent"].push_back(intent);
}

void read_call(const JsonRecord& record, const Json& frame, Labels& labels) {
  const Json& call = record.map(frame, "service_call");
  const std::string method = label_value(record.text(call, "method"));
  const Json& parameters = record.map(call, "parameters");
  if (parameters.empty()) labels["call"].push_back(method);
  for (const auto& [name, value] : parameters.items()) {
    labels["call"].push_back(method + " " + label_value(name) + "=" +
                             label_value(record.as_text(value, "each parameter")));
  }
}

Turn read_turn(const JsonRecord& record, const Json& json, State& state) {
  Turn turn{label_value(record.text(json, "speaker")), record.text(json, "utterance")};
  if (turn.speaker != "user" && turn.speaker != "system") {
    record.fail("\"speaker\" must be USER or SYSTEM");
  }
  Labels& labels = turn.notes.edit().labels;
  for (const Json& frame : record.list(json, "frames")) {
    const std::string service = label_value(record.text(frame, "service"));
    read_actions(record, frame, labels);
    if (turn.speaker == "user") read_state(record, frame, service, state, labels);
    if (frame.contains("service_call")) read_call(record, frame, labels);
  }
  if (turn.speaker == "system") return turn;
  for (const auto& [slot, value] : state) labels["state"].push_back(slot + "=" + value);
  return turn;
}

void read_services(JsonRecord& record, Published& corpus) {
  Dialogue& dialogue = corpus.dialogues.emplace_back();
  dialogue.id = record.text(record.json(), "dialogue_id");
  for (const std::string& service : record.texts(record.json(), "services")) {
    dialogue.notes.edit().labels["service"].push_back(label_value(service));
  }
  State state;
  size_t number = 0;
  for (const Json& turn : record.list(record.json(), "turns")) {
    record.in_turn(++number);
    add_turn(corpus, read_turn(record, turn, state));
  }
}

}  // namespace

Published read_schema_guided(const std::string& path, const Reading& reading) {
  return read_published(path, "dialogues", ".json", reading, read_services);
}

}  // namespace heed
