// `heed carry`: which values of a dialogue still hold, by a model or by rules.

#include <algorithm>

#include "base/utf8.h"
#include "dialog/carry/tallies_json.h"
#include "dialog/system.h"
#include "dialog/text/text_table.h"
#include "dialog/view/render.h"
#include "heed/command.h"
#include "heed/conversation.h"
#include "heed/progress.h"

namespace heed {
namespace {

using carry::Decision;
using carry::Item;

struct Options {
  CommonPtr common;
  const CLI::App* command = nullptr;
  std::string model, data, out, json;
  int insert = 0;
  size_t limit = 0;
  int64_t batch = 64;
};

carry::LoadedCarryover load(const std::string& directory, Device device) {
  const System& system = system_of(directory);
  if (system.name != carry::kSystem) {
    throw UsageError(directory + ": " + system.what + "; heed train carryover makes what carries");
  }
  carry::LoadedCarryover loaded = carry::load_carryover(directory);
  move(loaded.model, device);
  return loaded;
}

// ---- a file

struct RowOf {
  std::string who;
  carry::Tallies tallies;
};

std::string f1_table(std::vector<RowOf>& rows) {
  std::vector<std::string> groups(carry::kDistances.begin(), carry::kDistances.end());
  groups.insert(groups.end(), {">=1", "all", "seen", "new"});
  std::vector<std::vector<std::string>> columns = {{"F1 by distance"}, {"candidates"}};
  for (const std::string& group : groups) columns.push_back({group});
  for (const char* set : {"same", "cross", "both"}) {
    for (RowOf& row : rows) {
      if (!row.tallies.contains(std::string(set) + "/all")) continue;
      columns[0].push_back(row.who);
      columns[1].emplace_back(set);
      for (size_t g = 0; g < groups.size(); ++g) {
        const auto found = row.tallies.find(std::string(set) + "/" + groups[g]);
        const bool any = found != row.tallies.end() && found->second.decided + found->second.right;
        columns[g + 2].push_back(any ? decimal(found->second.f1(), 4) : "-");
      }
    }
  }
  return text_table(columns, results_width());
}

std::string decision_line(const Item& item, const Decision& decision) {
  Json json = {{"id", item.id}, {"carry", Json::array()}};
  for (size_t i = 0; i < decision.carry.size(); ++i) {
    if (decision.carry[i]) json["carry"].push_back(i);
  }
  json["p"] = decision.p;
  if (!decision.look.empty()) json["look"] = decision.look;
  return json_text(json) + "\n";
}

void say_looks(const std::map<std::string, carry::LookShare>& looks) {
  if (looks.empty()) return;
  std::string line;
  for (const auto& [group, share] : looks) {
    line += "  " + group + ": " + percent_text(share.of_even());
  }
  std::printf("attention by distance, 100 %% is even:%s\n", line.c_str());
}

std::vector<Decision> decisions_of(const Options& o, const std::vector<Item>& items,
                                   Device device) {
  const carry::LoadedCarryover loaded = load(o.model, device);
  std::vector<Item> read = items;
  for (size_t i = 0; o.insert > 0 && i < read.size(); ++i) {
    Rng rng(o.common->seed, "carry.distract", i);
    read[i] = carry::distract(std::move(read[i]), items, o.insert, rng);
  }
  Progress progress;
  return decide(
      loaded.model, loaded.vocabulary, read, static_cast<size_t>(o.batch),
      [&](int64_t done, int64_t of) {
        progress.show(std::to_string(done) + " of " + counted(static_cast<size_t>(of), "item"));
      });
}

void on_file(const Options& o) {
  const JsonOutput json(o.json), out(o.out);
  const Device device = start(*o.common);
  const std::vector<Item> items =
      carry::read_items(find_dialogues(o.data, "test"),
                        {.labels = out.wanted() ? carry::Labels::kOptional : carry::Labels::kNeeded,
                         .limit = o.limit});
  const bool labelled =
      std::all_of(items.begin(), items.end(), [](const Item& item) { return item.labelled; });
  std::vector<Decision> decisions;
  if (!o.model.empty()) decisions = decisions_of(o, items, device);
  if (out.wanted()) {
    std::string lines;
    for (size_t i = 0; i < items.size(); ++i) lines += decision_line(items[i], decisions[i]);
    out.write_text(lines);
  }
  if (!labelled) return note(o.data + ": has items without \"carry\", so nothing is compared");
  std::vector<RowOf> rows;
  if (!o.model.empty()) rows.push_back({"model", {}});
  for (size_t i = 0; i < decisions.size(); ++i) {
    count(items[i], decisions[i].carry, rows[0].tallies);
  }
  for (const char* rule : carry::kRules) {
    RowOf& row = rows.emplace_back(RowOf{rule, {}});
    for (const Item& item : items) count(item, decide_by_rule(rule, item), row.tallies);
  }
  const auto looks = carry::look_by_distance(items, decisions);
  if (!json.to_stdout() && !out.to_stdout()) {
    std::fputs(f1_table(rows).c_str(), stdout);
    say_looks(looks);
  }
  if (!json.wanted()) return;
  Json written = {{"heed", provenance("carry", *o.common)},
                  {"inputs",
                   {{"model", o.model.empty() ? Json() : Json(o.model)},
                    {"data", {{"path", o.data}, {"items", items.size()}}},
                    {"insert", o.insert},
                    {"limit", o.limit},
                    {"seed", o.common->seed}}}};
  for (const RowOf& row : rows) written["decided_by"][row.who] = to_json(row.tallies);
  if (!looks.empty()) written["look"] = to_json(looks);
  json.write(written);
}

// ---- a conversation

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

// The share of the attention on the values of each turn, 1 where it is even.
void show_looks(const Item& item, const Decision& decision, const TerminalStyle& style) {
  std::vector<double> of_turn(item.turns.size());
  for (size_t i = 0; i < decision.look.size(); ++i) {
    of_turn[static_cast<size_t>(item.candidates[i].turn)] +=
        decision.look[i] * static_cast<double>(item.turns.size());
  }
  DialogueView view{"", {}, "", {{of_turn, std::nullopt, ""}}, 0};
  for (const Turn& turn : item.turns) {
    view.context.push_back({turn.speaker + ": " + turn.text, turn.distraction});
  }
  std::fputs(attention_text(view, {{"looked at", ""}}, style).c_str(), stdout);
}

void show_decision(const Item& item, const Decision& decision) {
  std::vector<std::vector<std::string>> columns = {{"holds"},     {"key"}, {"value"},
                                                   {"turns ago"}, {"p"},   {"attention"}};
  for (size_t i = 0; i < item.candidates.size(); ++i) {
    const carry::Candidate& c = item.candidates[i];
    columns[0].emplace_back(decision.carry[i] ? "yes" : "no");
    columns[1].push_back(printable(c.key));
    columns[2].push_back(printable(c.value));
    columns[3].push_back(std::to_string(item.distance(i)));
    columns[4].push_back(decimal(decision.p[i], 2));
    columns[5].push_back(decision.look.empty() ? "-" : percent_text(decision.look[i]));
  }
  std::fputs(text_table(columns, results_width()).c_str(), stdout);
}

void carry_typed(const Options& o) {
  const Device device = start(*o.common);
  const carry::LoadedCarryover loaded = load(o.model, device);
  const TerminalStyle style = terminal_style(stdout);
  Item item{.id = "typed"};
  converse({.greeting = "Type turns, yours and the system's in turn, with values in brackets: to "
                        "[city: San Jose]. /help explains.",
            .help = "After each turn you see which of the values so far still hold, with what "
                    "probability,\nand where the model looked.",
            .reset = [&] { item = {.id = "typed"}; },
            .hear =
                [&](const std::string& line) {
                  if (!is_utf8(line)) return note("that is not UTF-8");
                  add_typed(item, line);
                  if (item.candidates.empty()) return;
                  const Decision decision = decide(loaded.model, loaded.vocabulary, {item})[0];
                  show_decision(item, decision);
                  if (!decision.look.empty()) show_looks(item, decision, style);
                }});
}

void run(const Options& o) {
  if (o.data.empty() && o.model.empty())
    throw UsageError("give --model RUN, --data ITEMS, or both");
  if (o.model.empty()) {
    for (const char* option : {"--out", "--insert"})
      refuse_given(*o.command, option, "with --model");
  }
  if (!o.data.empty()) return on_file(o);
  for (const char* option : {"--out", "--json", "--insert", "--limit"}) {
    refuse_given(*o.command, option, "with --data");
  }
  carry_typed(o);
}

}  // namespace

void add_carry(CLI::App& app) {
  const auto [c, o] = declare<Options>(
      app, "carry", "Say which values of a dialogue still hold, by a model or by rules",
      "With --data it compares with the labels of items: F1 by distance in turns, for candidates "
      "that were said to the same service, to others (cross) and both, for services that training "
      "has seen and new ones, by three rules and, with --model, by a model. The rules: everything "
      "holds, the latest value of a key, the latest that the user said. --insert adds turns of "
      "other dialogues to the history, and counts distances without them. Without --data turns are "
      "typed. docs/carryover.md goes through it.\n"
      "Examples:\n"
      "  heed carry --data data/sgd-items\n"
      "  heed carry --model runs/carry --data data/sgd-items --insert 8\n"
      "  heed carry --model runs/carry --data mine.jsonl --out decisions.jsonl\n"
      "  heed carry --model runs/carry",
      {.seed = "Seed of what --insert draws"}, run);
  c.add_option("--model", o.model, "Directory of a run or a model, one of heed train carryover");
  c.add_option("--data", o.data,
               "Dialogues: items, a data directory (its test part is read), or a file, JSON Lines, "
               "plain or gzip");
  option(c, "--limit", o.limit, "Read only the first dialogues, of --data; 0: all");
  option(c, "--insert", o.insert, "Turns of other dialogues to insert into each history",
         whole_number(0, 1000));
  c.add_option("--out", o.out,
               "Write the decisions to this file, a line each: {\"id\", \"carry\", \"p\", "
               "\"look\"}; - for standard output");
  add_json(c, o.json);
  add_batch(c, o.batch);
}

}  // namespace heed
