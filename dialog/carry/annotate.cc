// What `heed carry` says: which values of a dialogue still hold, by a model or by rules.
#include <algorithm>
#include <numeric>
#include <set>

#include "base/utf8.h"
#include "dialog/carry/tallies_json.h"
#include "dialog/data/corpus.h"
#include "dialog/parts/annotator_json.h"
#include "dialog/parts/looker.h"
#include "dialog/text/format.h"
#include "dialog/text/terminal.h"
#include "dialog/text/text_table.h"

namespace heed::carry {
namespace {

using Json = nlohmann::ordered_json;

using Rows = std::vector<std::pair<std::string, Tallies>>;  // the model, and rules

std::string f1_table(const Rows& rows, int width) {
  std::vector<std::string> groups(kDistances.begin(), kDistances.end());
  groups.insert(groups.end(), {">=1", "all", "seen", "new"});
  std::vector<std::vector<std::string>> cells = {{"F1 by distance", "candidates"}};
  cells[0].insert(cells[0].end(), groups.begin(), groups.end());
  for (const char* set : {"same", "cross", "both"}) {
    for (const auto& [who, tallies] : rows) {
      if (!tallies.contains(std::string(set) + "/all")) continue;
      cells.push_back({who, set});
      for (const std::string& group : groups) {
        const auto found = tallies.find(std::string(set) + "/" + group);
        const bool any = found != tallies.end() && found->second.decided + found->second.right;
        cells.back().push_back(any ? decimal(found->second.f1(), 4) : "-");
      }
    }
  }
  return text_table_of_rows(cells, width);
}

std::string decision_line(const Item& item, const Decision& decision) {
  Json json = {{"id", item.id}, {"carry", Json::array()}};
  for (size_t i = 0; i < decision.carry.size(); ++i) {
    if (decision.carry[i]) json["carry"].push_back(i);
  }
  json["p"] = decision.p;
  if (!decision.look.empty()) json["look"] = decision.look;
  return json_line(json);
}

std::string looks_line(const std::map<std::string, LookShare>& looks) {
  if (looks.empty()) return "";
  std::string line = "attention by distance, 100 % is even:";
  for (const auto& [group, share] : looks) {
    line += "  " + group + ": " + percent_text(share.of_even());
  }
  return line + "\n";
}

// "to [city: San Jose] please" is "to San Jose please", with a candidate.
void add_typed(Item& item, const std::string& line) {
  const auto turn = static_cast<int32_t>(item.turns.size());
  std::string text;
  for (size_t at = 0; at < line.size();) {
    const size_t close = line[at] == '[' ? line.find(']', at) : line.npos;
    const size_t colon = close == line.npos ? line.npos : line.find(':', at);
    if (colon >= close) {
      text += line[at++];
      continue;
    }
    const std::string key(trimmed(line.substr(at + 1, colon - at - 1))),
        value(trimmed(line.substr(colon + 1, close - colon - 1)));
    const auto begin = static_cast<int32_t>(count_code_points(text));
    if (!key.empty() && !value.empty()) {
      const auto end = begin + static_cast<int32_t>(count_code_points(value));
      item.candidates.push_back(
          {.turn = turn, .key = key, .value = value, .begin = begin, .end = end});
    }
    text += value;
    at = close + 1;
  }
  item.turns.push_back({turn % 2 == 0 ? "user" : "system", text});
}

std::string decision_table(const Item& item, const Decision& decision, int width) {
  std::vector<std::vector<std::string>> rows = {
      {"holds", "key", "value", "turns ago", "p", "attention"}};
  for (size_t i = 0; i < item.candidates.size(); ++i) {
    const Candidate& c = item.candidates[i];
    rows.push_back({decision.carry[i] ? "yes" : "no", printable(c.key), printable(c.value),
                    std::to_string(item.distance(i)), decimal(decision.p[i], 2),
                    decision.look.empty() ? "-" : percent_text(decision.look[i])});
  }
  return text_table_of_rows(rows, width);
}

// The share of the attention on the values of each turn, 1 where it is even.
std::vector<double> look_at_turns(const Item& item, const Decision& decision) {
  if (decision.look.empty()) return {};
  std::vector<double> of_turn(item.turns.size());
  for (size_t i = 0; i < decision.look.size(); ++i) {
    of_turn[static_cast<size_t>(item.candidates[i].turn)] +=
        decision.look[i] * static_cast<double>(item.turns.size());
  }
  return of_turn;
}

// "city = San Jose, date = today", each once, however often it was said.
std::string held_text(const Item& item, const std::vector<char>& holds) {
  std::string text;
  std::set<std::string> seen;
  for (size_t i = 0; i < holds.size(); ++i) {
    const std::string held = item.candidates[i].key + " = " + item.candidates[i].value;
    if (holds[i] && seen.insert(held).second) text += (text.empty() ? "" : ", ") + held;
  }
  return text.empty() ? "nothing" : text;
}

class CarryAnnotator : public Annotator, public Looker {
 public:
  explicit CarryAnnotator(std::shared_ptr<const LoadedCarryover> loaded)
      : loaded_(std::move(loaded)) {}
  std::string command() const override { return "carry"; }

  Annotated annotate(const std::string& data, const AnnotateOptions& o) const override {
    Annotated found{.path = find_dialogues(data, "test")};
    const std::vector<Item> items = read_items(
        found.path, {.labels = o.lines ? Labels::kOptional : Labels::kNeeded, .limit = o.limit});
    std::vector<Decision> decisions;
    if (loaded_) decisions = decisions_on(found.path, items, o);
    for (size_t i = 0; i < decisions.size(); ++i) {
      found.lines += decision_line(items[i], decisions[i]);
    }
    found.count = counted(decisions.size(), "item");
    Json json = {{"inputs",
                  {{"data", {{"fingerprint", fingerprint(items)}, {"items", items.size()}}},
                   {"insert", o.insert},
                   {"seed", o.seed}}}};
    if (std::all_of(items.begin(), items.end(), [](const Item& item) { return item.labelled; })) {
      compare(items, decisions, found, json);
    } else {
      found.remarks.push_back(data + ": has items without \"carry\", so nothing is compared");
    }
    found.json = json.dump();
    return found;
  }

  std::string looks_by() const override {
    return loaded_->model.config().decoder == kIndependent
               ? ""
               : loaded_->model.config().decoder + ", attention on the values of a turn";
  }
  std::vector<Looked> looks(const std::string& data, const LookOptions& o) const override {
    const std::string path = find_dialogues(data, "test");
    std::vector<Item> all = read_items(path, {.labels = Labels::kOptional, .limit = o.limit});
    std::erase_if(all, [](const Item& item) { return item.candidates.empty(); });
    const auto ids = [&](size_t i) { return std::pair(all[i].id, all[i].dialogue); };
    const std::vector<Item> items =
        with_turns(path, all, chosen(all.size(), ids, o, data), o.insert, o.seed);
    const std::vector<Decision> decisions = decide(loaded_->model, loaded_->vocabulary, items);
    std::vector<Looked> looks;
    for (size_t i = 0; i < items.size(); ++i) {
      const Item& item = items[i];
      Looked& looked = looks.emplace_back(Looked{
          item.id,
          {held_text(item, decisions[i].carry), item.turns, look_at_turns(item, decisions[i])}});
      if (item.labelled) looked.right = held_text(item, item.carry);
    }
    return looks;
  }

  TypedDialogue typed(const TypedOptions& o) const override {
    const auto item = std::make_shared<Item>(Item{.id = "typed"});
    return {.greeting =
                "Type turns, yours and the system's in turn, with values in brackets: to "
                "[city: San Jose]. /help explains.",
            .help =
                "After each turn you see which of the values so far still hold, with what "
                "probability,\nand where the model looked.",
            .reset = [item] { *item = {.id = "typed"}; },
            .hear = [this, item, width = o.width](const std::string& line) -> Heard {
              const size_t before = item->candidates.size();
              add_typed(*item, line);
              if (item->candidates.empty()) {
                return {.text = "no value so far: write one as [key: value]\n"};
              }
              const bool meant = line.find('[') != line.npos && item->candidates.size() == before;
              const Decision decision = decide(loaded_->model, loaded_->vocabulary, {*item})[0];
              return {(meant ? "no value in this turn: write one as [key: value]\n" : "") +
                          decision_table(*item, decision, width),
                      item->turns, look_at_turns(*item, decision)};
            }};
  }

 private:
  // The items at these places, each with `count` inserted turns, the same ones whichever others it
  // is with.
  static std::vector<Item> with_turns(const std::string& path, const std::vector<Item>& all,
                                      const std::vector<size_t>& places, int count, uint64_t seed) {
    const auto other = [&](const Item& item) { return item.dialogue != all[0].dialogue; };
    if (count > 0 && std::none_of(all.begin(), all.end(), other)) {
      throw DataError(path + ": --insert takes turns of other dialogues, and there is one only");
    }
    std::vector<Item> items;
    for (const size_t i : places) {
      Rng rng(seed, "carry.distract", i);
      items.push_back(distract(all[i], all, count, rng));
    }
    return items;
  }
  std::vector<Decision> decisions_on(const std::string& path, const std::vector<Item>& items,
                                     const AnnotateOptions& o) const {
    std::vector<size_t> places(items.size());
    std::iota(places.begin(), places.end(), 0);
    return decide(loaded_->model, loaded_->vocabulary,
                  with_turns(path, items, places, o.insert, o.seed), o.batch, reporter(o, "item"));
  }
  // With the labels, beside the rules.
  static void compare(const std::vector<Item>& items, const std::vector<Decision>& decisions,
                      Annotated& found, Json& json) {
    Rows rows;
    if (!decisions.empty()) rows.emplace_back("model", Tallies());
    for (size_t i = 0; i < decisions.size(); ++i) {
      count(items[i], decisions[i].carry, rows[0].second);
    }
    for (const char* rule : kRules) {
      Tallies& tallies = rows.emplace_back(rule, Tallies()).second;
      for (const Item& item : items) count(item, decide_by_rule(rule, item), tallies);
    }
    const auto looks = look_by_distance(items, decisions);
    for (const auto& [who, tallies] : rows) json["decided_by"][who] = to_json(tallies);
    if (!looks.empty()) json["look"] = to_json(looks);
    found.table = [rows, looks](int width) { return f1_table(rows, width) + looks_line(looks); };
  }

  std::shared_ptr<const LoadedCarryover> loaded_;
};

}  // namespace

std::shared_ptr<const Annotator> annotator(std::shared_ptr<const LoadedCarryover> loaded) {
  return std::make_shared<CarryAnnotator>(std::move(loaded));
}

}  // namespace heed::carry
