// What `heed track` says: the states of dialogues, turn by turn.
#include <algorithm>
#include <cmath>

#include "base/list.h"
#include "dialog/data/corpus.h"
#include "dialog/parts/annotator_json.h"
#include "dialog/parts/looker.h"
#include "dialog/text/format.h"
#include "dialog/text/terminal.h"
#include "dialog/text/text_table.h"
#include "dialog/track/task.h"

namespace heed::track {
namespace {

using Json = nlohmann::ordered_json;

using Rows = std::vector<std::pair<std::string, Accuracy>>;  // the tracker, and rules

std::string percent(double share) {
  return decimal(100 * share, 1);
}

std::string accuracy_table(const Rows& rows, const Slots& slots, int width) {
  std::vector<std::vector<std::string>> cells = {{"%", "joint", "above 1/2", "changes"}};
  for (const Slots::Slot& slot : slots) cells[0].push_back(printable(slot.name));
  for (const auto& [name, a] : rows) {
    cells.push_back({name, percent(a.joint), percent(a.set), percent(a.change)});
    for (const double share : a.slots) cells.back().push_back(percent(share));
  }
  return text_table_of_rows(cells, width);
}

std::string shares_table(const Slots& slots, const std::vector<SlotShares>& shares, int width) {
  std::vector<std::vector<std::string>> cells = {
      {"slot", "values known", "has a value %", "changes %"}};
  for (size_t s = 0; s < slots.count(); ++s) {
    cells.push_back({printable(slots[s].name), std::to_string(slots[s].end - slots[s].begin),
                     decimal(shares[s].has_value, 2), decimal(shares[s].changes, 2)});
  }
  return text_table_of_rows(cells, width);
}

std::string dependence_table(const Slots& slots, const std::vector<PairDependence>& pairs,
                             int width) {
  std::vector<std::vector<std::string>> cells = {
      {"pair of slots", "chi2", "phi", "V", "tracked chi2", "phi", "V"}};
  for (const auto& [a, b, right, tracked] : pairs) {
    cells.push_back({printable(slots[a].name + ", " + slots[b].name)});
    for (const Dependence& d : {right, tracked}) {
      for (const auto& [x, digits] : {std::pair(d.chi2, 2), {d.phi, 4}, {d.cramers_v, 4}}) {
        cells.back().push_back(decimal(x, digits));
      }
    }
  }
  return text_table_of_rows(cells, width);
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

// Of turns that are measured.
bool has_states(const Slots& slots, const std::vector<Conversation>& conversations) {
  return std::any_of(conversations.begin(), conversations.end(), [&](const Conversation& c) {
    return std::any_of(c.turns.begin(), c.turns.end(), [&](const UserTurn& turn) {
      return !turn.distraction && turn.state != slots.nothing();
    });
  });
}

std::string state_text(const Slots& slots, const Belief& now, const State& before) {
  std::string lines;
  for (size_t s = 0; s < slots.count(); ++s) {
    const int32_t none = slots[s].none;
    if (now.state[s] == none && before[s] == none) continue;
    const char sign = now.state[s] == before[s] ? ' '
                      : now.state[s] == none    ? '-'
                      : before[s] == none       ? '+'
                                                : '*';
    const std::string was =
        sign == '*' || sign == '-' ? ", was " + slots.value(before[s]) : std::string();
    const std::string text = std::string("  ") + sign + " " + slots[s].name + " = " +
                             slots.value(now.state[s]) + " (" + decimal(now.p[s], 2) + was + ")";
    lines += printable(text) + "\n";
  }
  return lines.empty() ? "    nothing yet\n" : lines;
}

// Leaves the conversations with a value, which are measured.
void keep_those_with_values(const Slots& slots, std::vector<Conversation>& conversations,
                            Beliefs& beliefs) {
  size_t kept = 0;
  for (size_t c = 0; c < conversations.size(); ++c) {
    const auto has_value = [&](const UserTurn& turn) { return turn.state != slots.nothing(); };
    const std::vector<UserTurn>& turns = conversations[c].turns;
    if (std::none_of(turns.begin(), turns.end(), has_value)) continue;
    std::swap(conversations[kept], conversations[c]);
    std::swap(beliefs[kept++], beliefs[c]);
  }
  conversations.resize(kept);
  beliefs.resize(kept);
}

// How right the states of a file are.
struct Judged {
  Rows rows = {};
  std::vector<SlotShares> shares = {};
  std::vector<PairDependence> pairs = {};
  size_t dialogues = 0, turns = 0;

  std::string table(const std::string& path, const Slots& slots, int width) const {
    std::string text = path + ": " + counted(dialogues, "dialogue") + ", " +
                       counted(turns, "turn") + " of the user\n\n" +
                       accuracy_table(rows, slots, width) + "\n" +
                       shares_table(slots, shares, width);
    if (pairs.empty()) return text;
    return text + "\n" + dependence_table(slots, pairs, width) +
           "sum of the differences of phi: " + decimal(phi_difference(pairs), 3) + "\n";
  }
  void write(Json& json, const Slots& slots) const {
    json["trackers"] = Json::object();
    for (const auto& [name, a] : rows) json["trackers"][name] = json_of(a, slots);
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
  }
};

// How far the last state moves without each turn, which are told nothing of each other: at a slot
// by 1 where it has another value then, else by the difference of p; 1 is the mean turn.
std::vector<double> moves(const Tracker& model, const Slots& slots, const Conversation& c) {
  std::vector<Conversation> all = {c};
  for (size_t t = 0; t < c.turns.size() && c.turns.size() > 1; ++t) {
    all.push_back(c);
    all.back().turns.erase(all.back().turns.begin() + static_cast<ptrdiff_t>(t));
  }
  const Beliefs beliefs = track(model, slots, all, std::ssize(all));
  const Belief& whole = beliefs[0].back();
  std::vector<double> moved;
  double sum = 0;
  for (size_t k = 1; k < all.size(); ++k) {
    const Belief& without = beliefs[k].back();
    double& by = moved.emplace_back(0);
    for (size_t s = 0; s < slots.count(); ++s) {
      by += without.state[s] == whole.state[s] ? std::abs(without.p[s] - whole.p[s]) : 1;
    }
    sum += by;
  }
  for (double& by : moved) by *= sum > 0 ? static_cast<double>(moved.size()) / sum : 0;
  return moved;
}

// "area = south, food = thai"
std::string named_text(const State& state, const Slots& slots) {
  const std::string text = joined(slots.named(state), ", ", [](const auto& named) {
    return named.first + " = " + named.second;
  });
  return text.empty() ? "nothing yet" : text;
}

class TrackAnnotator : public Annotator, public Looker {
 public:
  explicit TrackAnnotator(std::shared_ptr<const LoadedTracker> loaded)
      : loaded_(std::move(loaded)), slots_(loaded_->reader.slots) {}
  std::string command() const override { return "track"; }

  Annotated annotate(const std::string& data, const AnnotateOptions& o) const override {
    Annotated found{.path = find_dialogues(data, "test")};
    std::vector<std::string> unknown;
    const std::string& which = loaded_->model.config().slots;
    const auto dialogues = read_dialogues(found.path, Reading{.limit = o.limit, .notes = true});
    std::vector<Conversation> conversations =
        loaded_->reader.conversations(found.path, dialogues, unknown, which, /*all=*/o.lines);
    if (conversations.empty()) {
      throw DataError(found.path + ": no dialogue has turns of \"user\"" +
                      (which.empty() || o.lines ? "" : " and a value of '" + which + "'"));
    }
    Beliefs beliefs =
        track(loaded_->model, slots_, conversations, o.batch, reporter(o, "dialogue"));
    for (size_t c = 0; c < conversations.size(); ++c) {
      found.lines += json_line(states_json(conversations[c], beliefs[c], slots_));
    }
    found.count = counted(conversations.size(), "dialogue");
    Json json = {{"inputs", {{"data", {{"fingerprint", heed::fingerprint(dialogues)}}}}}};
    if (!which.empty()) keep_those_with_values(slots_, conversations, beliefs);
    if (has_states(slots_, conversations)) {
      judge(conversations, beliefs, unknown, o.model, found, json);
    } else if (!o.lines) {
      throw DataError(found.path +
                      ": has no states to compare with; --out writes those of the tracker");
    }
    found.json = json_line(json);
    return found;
  }

  std::string looks_by() const override { return "how far the state moves without a turn"; }
  std::vector<Looked> looks(const std::string& data, const LookOptions& o) const override {
    std::vector<std::string> unknown;
    const std::string path = find_dialogues(data, "test");
    const std::vector<Conversation> all = loaded_->reader.conversations(
        path, read_dialogues(path, Reading{.limit = o.limit, .notes = true}), unknown,
        loaded_->model.config().slots, /*all=*/true);
    const auto ids = [&](size_t i) { return std::pair(all[i].id, all[i].id); };
    std::vector<Looked> looks;
    for (const size_t i : chosen(all.size(), ids, o, data)) {
      Rng rng(o.seed, "track.distract", i);
      Conversation read;
      try {
        read = loaded_->reader.distracted(all, i, o.insert, rng);
      } catch (const DataError& e) {
        throw DataError(path + ": " + e.what());
      }
      Looked& looked = looks.emplace_back(Looked{read.id, {}});
      for (const UserTurn& turn : read.turns) {
        looked.heard.turns.push_back({kUser, turn.text, turn.distraction});
      }
      looked.heard.look = moves(loaded_->model, slots_, read);
      looked.heard.text =
          named_text(track(loaded_->model, slots_, {read}, 1)[0].back().state, slots_);
      if (has_states(slots_, all)) looked.right = named_text(all[i].turns.back().state, slots_);
    }
    return looks;
  }

  TypedDialogue typed(const TypedOptions& o) const override {
    struct Typed {
      std::vector<Conversation> conversation = std::vector<Conversation>(1);
      std::string system = {};
      State before;
    };
    const auto t = std::make_shared<Typed>(Typed{.before = slots_.nothing()});
    const auto hear = [this, t](const std::string& line) -> Heard {
      if (line.starts_with("system:")) {
        t->system = trimmed(std::string_view(line).substr(7));
        return {};
      }
      t->conversation[0].turns.push_back(
          loaded_->reader.turn(line, t->system, split(t->system, ',')));
      t->system.clear();
      const Belief now = track(loaded_->model, slots_, t->conversation, 1)[0].back();
      Heard heard{state_text(slots_, now, t->before)};
      t->before = now.state;
      return heard;
    };
    return {
        .greeting = o.model + " tracks " + counted(slots_.count(), "slot") +
                    ". Say something; /help explains.",
        .help =
            "Type what the user says: the state after it, + what is new, * what is another value,\n"
            "- what is gone, and how probable each is.\n"
            "  system: TEXT   what the system says before the next turn; a tracker that reads\n"
            "                 acts takes those of its data, with commas: system: request area",
        .reset = [this, t] { *t = {.before = slots_.nothing()}; },
        .hear = hear};
  }

 private:
  void judge(const std::vector<Conversation>& conversations, const Beliefs& beliefs,
             const std::vector<std::string>& unknown, const std::string& model, Annotated& found,
             Json& json) const {
    Judged judged{.shares = slot_shares(slots_, conversations),
                  .pairs = dependences(slots_, conversations, beliefs),
                  .dialogues = conversations.size()};
    for (const auto& [name, of] : {std::pair(model, beliefs),
                                   {"words of the value", string_match(slots_, conversations)},
                                   {"most frequent state", most_frequent(conversations)}}) {
      judged.rows.emplace_back(name, mean(score(slots_, conversations, of)));
    }
    for (const Conversation& c : conversations) {
      judged.turns +=
          static_cast<size_t>(std::ranges::count(c.turns, false, &UserTurn::distraction));
    }
    json.update(
        {{"dialogues", judged.dialogues}, {"turns", judged.turns}, {"unknown_values", unknown}});
    judged.write(json, slots_);
    if (!unknown.empty()) {
      found.remarks.push_back(counted(unknown.size(), "value") +
                              " that the tracker does not know, as " + unknown[0]);
    }
    found.table = [judged, path = found.path, loaded = loaded_](int width) {
      return judged.table(path, loaded->reader.slots, width);
    };
  }

  std::shared_ptr<const LoadedTracker> loaded_;
  const Slots& slots_;
};

}  // namespace

std::shared_ptr<const Annotator> annotator(std::shared_ptr<const LoadedTracker> loaded) {
  return std::make_shared<TrackAnnotator>(std::move(loaded));
}

}  // namespace heed::track
