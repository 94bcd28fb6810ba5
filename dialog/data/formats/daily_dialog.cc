#include "dialog/data/formats/corpora.h"

#include "dialog/data/formats/plain_text.h"
#include "dialog/data/formats/records_json.h"

namespace heed {
namespace {

std::string part_of(const JsonRecord& record) {
  const std::string& part = record.text(record.json(), "data_split");
  if (part == "train" || part == "test") return part;
  if (part != "validation") record.fail("\"data_split\" must be train, validation or test");
  return "valid";
}

Turn read_turn(const JsonRecord& record, const nlohmann::json& json) {
  Turn turn{record.text(json, "speaker"), record.text(json, "utterance")};
  Labels& labels = turn.notes.edit().labels;
  for (const auto& act : record.list(record.map(json, "dialogue_acts"), "binary")) {
    labels["act"].push_back(label_value(record.text(act, "intent")));
  }
  labels["emotion"] = {label_value(record.text(json, "emotion"))};
  return turn;
}

void read_dialogue(JsonRecord& record, Published& corpus) {
  Dialogue& dialogue = corpus.dialogues.emplace_back();
  dialogue.id = record.text(record.json(), "dialogue_id");
  Labels& labels = dialogue.notes.edit().labels;
  labels["part"] = {part_of(record)};
  for (const std::string& topic : record.texts(record.json(), "domains")) {
    labels["topic"].push_back(label_value(topic));
  }
  size_t number = 0;
  for (const auto& turn : record.list(record.json(), "turns")) {
    record.in_turn(++number);
    add_turn(corpus, read_turn(record, turn));
  }
}

}  // namespace

Published read_daily_dialog(const std::string& path, const Reading& reading) {
  const char sign = first_sign(path);
  if (sign != '[' && sign != '{') {
    return {read_plain_text(path, {TextLayout::kEou}, reading).dialogues, {}};
  }
  return read_published(path, Braces::kLines, reading, read_dialogue);
}

}  // namespace heed
