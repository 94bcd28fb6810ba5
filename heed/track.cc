// heed track: the states of dialogues, turn by turn.

#include <algorithm>

#include "base/file.h"
#include "dialog/data/corpus.h"
#include "dialog/system.h"
#include "dialog/text/text_table.h"
#include "dialog/track/metrics.h"
#include "dialog/track/run.h"
#include "heed/command.h"
#include "heed/conversation.h"
#include "heed/progress.h"
#include "train/run_directory.h"

namespace heed {
namespace {

using namespace track;

struct Options {
  CommonPtr common;
  const CLI::App* command = nullptr;
  std::string model, data, out, json;
  size_t limit = 0;
  int64_t batch = 32;
};

LoadedTracker open_tracker(const Options& o) {
  const Device device = start(*o.common);
  require(o.model, Capability::kTag);
  if (system_of(o.model).name != kSystem) {
    throw UsageError(o.model + ": " + system_of(o.model).what + ", not a tracker of states");
  }
  LoadedTracker loaded = load_tracker(o.model);
  move(loaded.model, device);
  return loaded;
}

// ---- a file

struct Row {
  std::string name;
  Accuracy accuracy;
};

std::string percent(double share) {
  return decimal(100 * share, 1);
}

// Of rows of cells, the titles first.
std::string table_of(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::vector<std::string>> columns(rows[0].size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) columns[i].push_back(row[i]);
  }
  return text_table(std::move(columns), results_width());
}

std::string accuracy_table(const std::vector<Row>& rows, const Slots& slots) {
  std::vector<std::vector<std::string>> cells = {{"%", "joint", "above 1/2", "changes"}};
  for (const Slots::Slot& slot : slots) cells[0].push_back(slot.name);
  for (const auto& [name, a] : rows) {
    cells.push_back({name, percent(a.joint), percent(a.set), percent(a.change)});
    for (const double share : a.slots) cells.back().push_back(percent(share));
  }
  return table_of(cells);
}

std::string shares_table(const Slots& slots, const std::vector<SlotShares>& shares) {
  std::vector<std::vector<std::string>> cells = {
      {"slot", "values known", "has a value %", "changes %"}};
  for (size_t s = 0; s < slots.count(); ++s) {
    cells.push_back({slots[s].name, std::to_string(slots[s].end - slots[s].begin),
                     decimal(shares[s].has_value, 2), decimal(shares[s].changes, 2)});
  }
  return table_of(cells);
}

std::string dependence_table(const Slots& slots, const std::vector<PairDependence>& pairs) {
  std::vector<std::vector<std::string>> cells = {
      {"pair of slots", "chi2", "phi", "V", "tracked chi2", "phi", "V"}};
  for (const auto& [a, b, right, tracked] : pairs) {
    cells.push_back({slots[a].name + ", " + slots[b].name});
    for (const Dependence& d : {right, tracked}) {
      for (const auto& [x, digits] : {std::pair(d.chi2, 2), {d.phi, 4}, {d.cramers_v, 4}}) {
        cells.back().push_back(decimal(x, digits));
      }
    }
  }
  return table_of(cells);
}

Json json_of(const Accuracy& a, const Slots& slots) {
  Json json = {{"joint", a.joint}, {"above_half", a.set}, {"changes", a.change}};
  for (size_t s = 0; s < slots.count(); ++s) json["slots"][slots[s].name] = a.slots[s];
  return json;
}

Json json_of(const Dependence& d) {
  return {{"chi2", d.chi2}, {"phi", d.phi}, {"cramers_v", d.cramers_v}};
}

Json json_of(const State& state, const Slots& slots) {
  Json json = Json::object();
  for (const auto& [slot, value] : slots.named(state)) json[slot] = value;
  return json;
}

// {"id", "turns": [{"text", "state": {"food": "chinese"}, "p": {"food": 0.9}}]}
Json states_json(const Conversation& c, const std::vector<Belief>& beliefs, const Slots& slots) {
  Json turns = Json::array();
  for (size_t t = 0; t < c.turns.size(); ++t) {
    Json p = Json::object();
    for (size_t s = 0; s < slots.count(); ++s) p[slots[s].name] = beliefs[t].p[s];
    turns.push_back(
        {{"text", c.turns[t].text}, {"state", json_of(beliefs[t].state, slots)}, {"p", p}});
  }
  return {{"id", c.id}, {"turns", turns}};
}

bool has_states(const Slots& slots, const std::vector<Conversation>& conversations) {
  return std::any_of(conversations.begin(), conversations.end(), [&](const Conversation& c) {
    return std::any_of(c.turns.begin(), c.turns.end(),
                       [&](const UserTurn& turn) { return turn.state != slots.nothing(); });
  });
}

void track_file(const Options& o) {
  const JsonOutput output(o.json), states(o.out);
  const LoadedTracker loaded = open_tracker(o);
  const Slots& slots = loaded.reader.slots;
  const std::string path = find_dialogues(o.data, "test");
  std::vector<std::string> unknown;
  const std::vector<Conversation> conversations = loaded.reader.conversations(
      read_dialogues(path, {.limit = o.limit, .progress = {}, .notes = true}), unknown,
      loaded.model.config().slots);
  if (conversations.empty()) throw DataError(path + ": no dialogue has turns of \"user\"");
  Progress progress;
  const Beliefs beliefs =
      track::track(loaded.model, slots, conversations, o.batch, [&](int64_t done) {
        progress.show(std::to_string(done) + " of " + counted(conversations.size(), "dialogue"));
      });
  progress.done();
  if (states.wanted()) {
    std::string lines;
    for (size_t c = 0; c < conversations.size(); ++c) {
      lines += json_text(states_json(conversations[c], beliefs[c], slots)) + "\n";
    }
    states.write_text(lines);
  }
  if (!has_states(slots, conversations)) {
    if (states.wanted()) return;
    throw DataError(path + ": has no states to compare with; --out writes those of the tracker");
  }
  std::vector<Row> rows;
  const auto add = [&](const std::string& name, const Beliefs& of) {
    rows.push_back({name, mean(score(slots, conversations, of))});
  };
  add(o.model, beliefs);
  add("words of the value", string_match(slots, conversations));
  add("most frequent state", most_frequent(conversations));
  const std::vector<SlotShares> shares = slot_shares(slots, conversations);
  const std::vector<PairDependence> pairs = dependences(slots, conversations, beliefs);
  size_t turns = 0;
  for (const Conversation& c : conversations) turns += c.turns.size();
  if (!output.to_stdout() && !states.to_stdout()) {
    std::printf("%s: %s, %s of the user\n\n%s\n%s", path.c_str(),
                counted(conversations.size(), "dialogue").c_str(), counted(turns, "turn").c_str(),
                accuracy_table(rows, slots).c_str(), shares_table(slots, shares).c_str());
    if (!pairs.empty()) {
      std::printf("\n%ssum of the differences of phi: %.3f\n",
                  dependence_table(slots, pairs).c_str(), phi_difference(pairs));
    }
    if (!unknown.empty()) {
      note(counted(unknown.size(), "value") + " that the tracker does not know, as " + unknown[0]);
    }
  }
  if (!output.wanted()) return;
  Json json = {{"heed", provenance("track", *o.common)},
               {"inputs",
                {{"data", {{"path", path}, {"fingerprint", file_checksum(path)}}},
                 {"model", o.model},
                 {"limit", o.limit}}},
               {"dialogues", conversations.size()},
               {"turns", turns},
               {"unknown_values", unknown},
               {"trackers", Json::object()}};
  for (const Row& row : rows) json["trackers"][row.name] = json_of(row.accuracy, slots);
  for (size_t s = 0; s < slots.count(); ++s) {
    json["slots"][slots[s].name] = {{"has_value_percent", shares[s].has_value},
                                    {"changes_percent", shares[s].changes}};
  }
  json["dependence"] = Json::array();
  for (const PairDependence& p : pairs) {
    json["dependence"].push_back({{"slots", {slots[p.a].name, slots[p.b].name}},
                                  {"right", json_of(p.right)},
                                  {"tracked", json_of(p.tracked)}});
  }
  json["phi_difference"] = phi_difference(pairs);
  output.write(json);
}

// ---- a conversation that is typed

void print_state(const Slots& slots, const Belief& now, const State& before) {
  bool any = false;
  for (size_t s = 0; s < slots.count(); ++s) {
    const int32_t none = slots[s].none;
    if (now.state[s] == none && before[s] == none) continue;
    any = true;
    const char sign = now.state[s] == before[s] ? ' '
                      : now.state[s] == none    ? '-'
                      : before[s] == none       ? '+'
                                                : '*';
    const std::string was =
        sign == '*' || sign == '-' ? ", was " + slots.value(before[s]) : std::string();
    std::printf("  %c %s = %s (%.2f%s)\n", sign, slots[s].name.c_str(),
                slots.value(now.state[s]).c_str(), now.p[s], was.c_str());
  }
  if (!any) std::puts("    nothing yet");
}

void track_typed(const Options& o) {
  for (const char* name : {"--limit", "--out", "--json"}) {
    refuse_given(*o.command, name, "with --data");
  }
  const LoadedTracker loaded = open_tracker(o);
  const Slots& slots = loaded.reader.slots;
  std::vector<Conversation> conversation(1);
  std::string system;
  State before = slots.nothing();
  const auto hear = [&](const std::string& line) {
    if (line.starts_with("system:")) {
      system = trimmed(std::string_view(line).substr(7));
      return;
    }
    const auto acts = system.empty() ? std::vector<std::string>() : comma_list("system", system);
    conversation[0].turns.push_back(loaded.reader.turn(line, system, acts));
    system.clear();
    const Belief now = track::track(loaded.model, slots, conversation, 1)[0].back();
    print_state(slots, now, before);
    before = now.state;
  };
  converse(
      {.greeting = o.model + " tracks " + counted(slots.count(), "slot") +
                   ". Say something; /help explains.",
       .help =
           "Type what the user says: the state after it, + what is new, * what is another value,\n"
           "- what is gone, and how probable each is.\n"
           "  system: TEXT   what the system says before the next turn; a tracker that reads\n"
           "                 acts takes those of its data, with commas: system: request area",
       .reset =
           [&] {
             conversation[0].turns.clear();
             before = slots.nothing();
             system.clear();
           },
       .hear = hear});
}

}  // namespace

void add_track(CLI::App& app) {
  const auto [c, o] = declare<Options>(
      app, "track", "What the user has asked for, after each turn of a dialogue",
      "Without --data you type the turns, and see the state after each and what changed. With it, "
      "how right the states of a file are: joint: all slots are; above 1/2: the values with p > "
      "1/2 are the right ones; changes: a turn changes the right slots to the right values. Beside "
      "the tracker stand two rules: a value is set where its words are said, and always the most "
      "frequent state of the file. docs/tracking.md goes through it.\n"
      "Examples:\n"
      "  heed train tracker --data data/woz2 --out runs/heads\n"
      "  heed track runs/heads\n"
      "  heed track runs/heads --data data/woz2 --out states.jsonl",
      {.seed = ""},
      [](const Options& given) { given.data.empty() ? track_typed(given) : track_file(given); });
  c.add_option("model", o.model, "Directory of a run or a model, a tracker")->required();
  c.add_option("--data", o.data,
               "Dialogues: a data directory (its test part is read), or a file, JSON Lines, plain "
               "or gzip");
  option(c, "--limit", o.limit, "Read only the first dialogues; 0: all");
  c.add_option("--out", o.out,
               "The states as JSON Lines, a dialogue a line: {\"id\", \"turns\": [{\"text\", "
               "\"state\": {\"food\": \"chinese\"}, \"p\"}]}; - for standard output");
  add_json(c, o.json);
  add_batch(c, o.batch);
}

}  // namespace heed
