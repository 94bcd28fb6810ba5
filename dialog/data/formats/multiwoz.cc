#include "dialog/data/formats/corpora.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/list.h"
#include "base/utf8.h"
#include "dialog/data/formats/records_json.h"

namespace heed {
namespace {

using Json = nlohmann::json;
using Fields = std::vector<std::string>;

// The state is a list of "domain-slot=value"; what was not said is no part of it.
void add_to_state(std::vector<std::string>& state, const std::string& slot,
                  const std::string& text) {
  const std::string value = label_value(text);
  if (value.empty() || value == "none" || value == "not_mentioned") return;
  state.push_back(slot + "=" + value);
}

// ---- JSON ---------------------------------------------------------------------------------------

void read_slots(const JsonRecord& record, const Json& slots, const std::string& domain,
                std::vector<std::string>& state) {
  for (const auto& [name, value] : slots.items()) {
    if (name == "booked") continue;
    if (value.is_array() && value.empty()) continue;
    const Json& first = value.is_array() ? value[0] : value;
    add_to_state(state, domain + "-" + label_value(name),
                 record.as_text(first, "\"" + name + "\""));
  }
}

std::vector<std::string> read_state(const JsonRecord& record, const Json& entry) {
  std::vector<std::string> state;
  for (const auto& [name, domain] : record.map(entry, "metadata").items()) {
    if (!domain.is_object()) record.fail("each domain of \"metadata\" must be an object");
    for (const char* part : {"semi", "book"}) {
      if (domain.contains(part)) {
        read_slots(record, record.map(domain, part), label_value(name), state);
      }
    }
  }
  std::sort(state.begin(), state.end());
  return state;
}

void read_slots_of_act(const JsonRecord& record, const std::string& act, const Json& pairs,
                       std::vector<std::string>& acts) {
  if (!pairs.is_array()) record.fail("each act must be a list of pairs of slot and value");
  if (pairs.empty()) acts.push_back(act);
  for (const Json& pair : pairs) {
    if (!pair.is_array() || pair.size() < 2) record.fail("each act must have pairs of two texts");
    const std::string slot = label_value(record.as_text(pair[0], "the slot of an act"));
    const std::string value = label_value(record.as_text(pair[1], "the value of an act"));
    acts.push_back(slot == "none" && value == "none" ? act : act + " " + slot + "=" + value);
  }
}

// Empty where it is a text, which says why there is no annotation.
std::vector<std::string> read_acts(const JsonRecord& record, const Json& entry, Published& corpus) {
  std::vector<std::string> acts;
  const auto found = entry.find("dialog_act");
  if (found == entry.end() || found->is_string()) {
    ++corpus.left_out["turns whose acts are not annotated"];
    return acts;
  }
  for (const auto& [name, pairs] : record.map(entry, "dialog_act").items()) {
    read_slots_of_act(record, label_value(name), pairs, acts);
  }
  return acts;
}

void read_log(JsonRecord& record, Published& corpus) {
  corpus.dialogues.push_back({record.name(), {}});
  const Json& log = record.list(record.json(), "log");
  for (size_t i = 0; i < log.size(); ++i) {
    record.in_turn(i + 1);
    Turn turn{i % 2 == 0 ? "user" : "system", record.text(log[i], "text")};
    Labels& labels = turn.notes.edit().labels;
    labels["act"] = read_acts(record, log[i], corpus);
    if (i % 2 == 0 && i + 1 < log.size()) {  // stands with the system's turn
      record.in_turn(i + 2);
      labels["state"] = read_state(record, log[i + 1]);
    }
    add_turn(corpus, std::move(turn));
  }
}

// ---- tables -------------------------------------------------------------------------------------

constexpr size_t kFirstSlot = 5;  // behind id, index, last, system, user

// The slots that the columns hold: "hotel-book day" is hotel-day, as in the JSON.
Fields read_header(const LineReader& reader, std::string_view line) {
  Fields header = fields_of(line, '\t');
  if (header.back().empty()) header.pop_back();
  const Fields expected = {"# Dialogue ID", "Turn Index", "Last Turn", "System Response",
                           "User Utterance"};
  if (header.size() < kFirstSlot || !std::equal(expected.begin(), expected.end(), header.begin())) {
    reader.fail(
        "the header must be '# Dialogue ID', 'Turn Index', 'Last Turn', 'System Response', 'User "
        "Utterance' and slots, with tabs between them");
  }
  for (size_t i = kFirstSlot; i < header.size(); ++i) {
    const size_t dash = header[i].find('-');
    if (dash == header[i].npos) reader.fail("a slot is domain-name, got '" + header[i] + "'");
    std::string slot = header[i].substr(dash + 1);
    if (slot.starts_with("book ")) slot.erase(0, 5);
    header[i] = label_value(header[i].substr(0, dash)) + "-" + label_value(slot);
  }
  return header;
}

void add_state_row(const Fields& header, const Fields& fields, bool first, Published& corpus) {
  const bool opens = first && is_blank(fields[3]);  // nobody spoke before
  if (!opens) add_turn(corpus, {"system", fields[3]});
  Turn user{"user", fields[4]};
  std::vector<std::string>& state = user.notes.edit().labels["state"];
  for (size_t i = kFirstSlot; i < header.size(); ++i) {
    const std::string value = fields[i].substr(0, fields[i].find('|'));  // of several the first
    add_to_state(state, header[i], value == "do not care" ? "dontcare" : value);
  }
  std::sort(state.begin(), state.end());
  add_turn(corpus, std::move(user));
}

Published read_state_rows(const std::string& path, const Reading& reading) {
  Published corpus;
  std::set<std::string> seen;
  size_t rows = 0;  // of the last dialogue
  LineReader lines(path);
  std::string_view line;
  if (!lines.next(line)) line = {};
  const Fields header = read_header(lines, line);
  while (lines.next_not_blank(line)) {
    if (!is_utf8(line)) lines.fail("the text is not UTF-8");
    const Fields fields = fields_of(line, '\t');
    if (fields.size() != header.size()) {
      lines.fail("a row has " + std::to_string(header.size()) + " fields, got " +
                 std::to_string(fields.size()));
    }
    if (corpus.dialogues.empty() || corpus.dialogues.back().id != fields[0]) {
      if (reading.enough(corpus.dialogues.size())) break;
      if (!seen.insert(fields[0]).second) {
        lines.fail("the rows of dialogue '" + fields[0] + "' are not together");
      }
      corpus.dialogues.push_back({fields[0], {}});
      rows = 0;
    }
    if (fields[1] != std::to_string(rows)) {
      lines.fail("the turn index must be " + std::to_string(rows) + ", got '" + fields[1] + "'");
    }
    add_state_row(header, fields, rows++ == 0, corpus);
  }
  if (corpus.dialogues.empty()) throw DataError(path + ": holds no dialogue");
  return corpus;
}

}  // namespace

Published read_multiwoz(const std::string& path, const Reading& reading) {
  if (first_sign(path) != '{') return read_state_rows(path, reading);
  return read_published(path, Braces::kMembers, reading, read_log);
}

}  // namespace heed
