#include "dialog/probe/labels.h"

#include <algorithm>

#include "base/error.h"
#include "dialog/data/formats/published.h"
#include "dialog/text/stop_words.h"
#include "dialog/text/tokenizer.h"

namespace heed::probe {
namespace {

// "hotel-area" -> "area"
std::string slot_of(const std::string& key) {
  return key.substr(key.find('-') + 1);
}

// "hotel-area" -> "hotel", "restaurants_2-time" -> "restaurants"
std::string topic_of(const std::string& key) {
  const std::string domain = key.substr(0, key.find('-'));
  const size_t end = domain.find_last_not_of("0123456789");
  const bool numbered = end != domain.npos && end + 1 < domain.size() && domain[end] == '_';
  return numbered ? domain.substr(0, end) : domain;
}

Values keys_of(const State& state) {
  Values keys;
  for (const auto& [key, value] : state) keys.insert(key);
  return keys;
}
Values values_of(const State& state) {
  Values values;
  for (const auto& [key, value] : state) values.insert(value);
  return values;
}
Values topics_of(const State& state) {
  Values topics;
  for (const auto& [key, value] : state) topics.insert(topic_of(key));
  return topics;
}

// The topic of most pairs; of several the first.
std::string main_topic(const State& state) {
  std::map<std::string, int> counts;
  for (const auto& [key, value] : state) ++counts[topic_of(key)];
  return std::max_element(counts.begin(), counts.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

// Slots without their domain that are recent and stood in the state before, under any domain.
Values repeated(const Moment& m, const LabelOptions& o) {
  Values known, again;
  const auto name = [&](const auto& entry) {
    return slot_of(entry.first) + (o.repeats_have_value ? "=" + entry.second : "");
  };
  for (const auto& entry : m.all_before) known.insert(name(entry));
  for (const auto& entry : m.recent) {
    if (known.contains(name(entry))) again.insert(slot_of(entry.first));
  }
  return again;
}

Values number(size_t count) {
  return {std::to_string(count)};
}

// ---- the examples of a dialogue

State state_of(const Turn& user) {
  State state;
  for (const std::string& pair : values_in(user.notes->labels, "state")) {
    const NameAndValue slot = split_value(pair);
    state[slot.name] = slot.value;
  }
  return state;
}

State recent_of(const State& state, const State& before, const LabelOptions& o) {
  State recent;
  for (const auto& [key, value] : state) {
    const auto found = before.find(key);
    const bool changed = !o.recent_is_new && found != before.end() && found->second != value;
    if (found == before.end() || changed) recent[key] = value;
  }
  return recent;
}

// Of the query that was made, or else of what was said: "hotel-recommend name=the_inn".
void add_acts(const Turn& response, Moment& m) {
  const Labels& labels = response.notes->labels;
  const auto& calls = values_in(labels, "call");
  for (const std::string& label : calls.empty() ? values_in(labels, "act") : calls) {
    const size_t blank = label.find(' ');
    m.acts.insert(label.substr(0, blank));
    if (blank == label.npos) continue;
    const NameAndValue slot = split_value(label.substr(blank + 1));
    if (slot.name != "none") m.act_slots.insert(slot.name);
    if (slot.value != "?" && slot.value != "none") m.act_values.insert(slot.value);
  }
  m.act_values.erase("");
}

void add_persona(const Dialogue& dialogue, const Turn& response, Moment& m) {
  for (const std::string& sentence : values_in(dialogue.notes->personas, response.speaker)) {
    for (const std::string& word : tokenize(sentence)) {
      const auto first = static_cast<unsigned char>(word[0]);
      const bool is_word = std::isalnum(first) || first == '_' || first >= 0x80;
      if (is_word && !is_stop_word(word)) m.persona_words.insert(word);
    }
  }
}

// The places of the responses: of the system after the user, or of anybody after another.
std::vector<size_t> responses(const Dialogue& dialogue, bool has_states) {
  std::vector<size_t> places;
  for (size_t i = 1; i < dialogue.turns.size(); ++i) {
    const bool fits =
        dialogue.turns[i].speaker == "system" && dialogue.turns[i - 1].speaker == "user";
    if (fits || !has_states) places.push_back(i);
  }
  return places;
}

std::vector<Moment> moments(const Dialogue& dialogue, const std::vector<size_t>& places,
                            const LabelOptions& o) {
  std::vector<Moment> result;
  State before, all;
  std::string topic = "none";
  for (const size_t place : places) {
    Moment m;
    m.t = result.size() + 1;
    m.n = places.size();
    m.all_before = all;
    const State state = state_of(dialogue.turns[place - 1]);
    m.recent = recent_of(state, before, o);
    for (const auto& [key, value] : state) all[key] = value;
    m.all = all;
    if (!m.recent.empty()) topic = main_topic(m.recent);
    m.topic = topic;
    add_acts(dialogue.turns[place], m);
    add_persona(dialogue, dialogue.turns[place], m);
    before = state;
    result.push_back(std::move(m));
  }
  for (Moment& m : result) m.all_topics = topics_of(all);
  return result;
}

// What a turn has.
void add_annotation_of(const Turn& turn, std::set<Needs>& found) {
  const Labels& labels = turn.notes->labels;
  if (turn.speaker == "user" && !values_in(labels, "state").empty()) found.insert(Needs::kStates);
  if (turn.speaker != "system") return;
  for (const std::string& act : values_in(labels, "act")) {
    found.insert(Needs::kActs);
    if (act.find(' ') != act.npos) found.insert(Needs::kSlots);
  }
}

// What the dialogues have.
std::set<Needs> annotation_of(const std::vector<Dialogue>& dialogues) {
  std::set<Needs> found;
  for (const Dialogue& dialogue : dialogues) {
    if (!dialogue.notes->personas.empty()) found.insert(Needs::kPersonas);
    for (const Turn& turn : dialogue.turns) add_annotation_of(turn, found);
  }
  return found;
}

}  // namespace

const std::vector<LabelTask>& label_tasks() {
  using M = const Moment&;
  using O = const LabelOptions&;
  static const std::vector<LabelTask> tasks = {
      {"UtteranceLoc", Needs::kStates,
       [](M m, O o) { return number(o.location_buckets * (m.t - 1) / m.n); }},
      {"RecentTopic", Needs::kStates, [](M m, O) { return Values{m.topic}; }},
      {"RecentSlots", Needs::kStates, [](M m, O) { return keys_of(m.recent); }},
      {"RecentValues", Needs::kStates, [](M m, O) { return values_of(m.recent); }},
      {"NumRecentInfo", Needs::kStates, [](M m, O) { return number(m.recent.size()); }},
      {"RepeatInfo", Needs::kStates, repeated},
      {"NumRepeatInfo", Needs::kStates, [](M m, O o) { return number(repeated(m, o).size()); }},
      {"AllSlots", Needs::kStates, [](M m, O) { return keys_of(m.all); }},
      {"AllValues", Needs::kStates, [](M m, O) { return values_of(m.all); }},
      {"NumAllInfo", Needs::kStates, [](M m, O) { return number(m.all.size()); }},
      {"AllTopics", Needs::kStates, [](M m, O) { return topics_of(m.all); }},
      {"NumAllTopics", Needs::kStates, [](M m, O) { return number(m.all_topics.size()); }},
      {"IsMultiTask", Needs::kStates, [](M m, O) { return number(m.all_topics.size() > 1); }},
      {"ActionSelect", Needs::kActs, [](M m, O) { return m.acts; }},
      {"EntitySlots", Needs::kSlots, [](M m, O) { return m.act_slots; }},
      {"EntityValues", Needs::kSlots, [](M m, O) { return m.act_values; }},
      {"PersonalInfo", Needs::kPersonas, [](M m, O) { return m.persona_words; }}};
  return tasks;
}

LabelledExamples annotated_labels(const std::vector<Dialogue>& dialogues,
                                  const LabelOptions& options) {
  const std::set<Needs> found = annotation_of(dialogues);
  LabelledExamples result;
  for (const Dialogue& dialogue : dialogues) {
    const std::vector<size_t> places = responses(dialogue, found.contains(Needs::kStates));
    const std::vector<Moment> of_dialogue = moments(dialogue, places, options);
    for (size_t i = 0; i < places.size(); ++i) {
      result.ids.push_back(dialogue.id + "#" + std::to_string(places[i] + 1));
      const std::string& said = dialogue.turns[places[i] - 1].text;
      result.keys.push_back(said.empty() ? result.ids.back() : said);
      for (const LabelTask& task : label_tasks()) {
        if (!found.contains(task.needs)) continue;
        Values labels = task.labels(of_dialogue[i], options);
        if (labels.empty()) labels = {"none"};
        result.tasks[task.name].emplace_back(labels.begin(), labels.end());
      }
    }
  }
  if (result.tasks.empty()) {
    throw DataError(
        "no turn has labels that a task is made of: states of the user, acts of the system, or "
        "personas");
  }
  return result;
}

LabelStatistics statistics(const LabelSets& sets) {
  std::map<std::string, size_t> counts;
  size_t all = 0, most = 0;
  for (const std::vector<std::string>& set : sets) {
    all += set.size();
    for (const std::string& label : set) ++counts[label];
  }
  LabelStatistics result;
  result.labels = counts.size();
  for (const auto& [label, count] : counts) {
    if (count > most) result.most_frequent = label;
    most = std::max(most, count);
  }
  const auto examples = static_cast<double>(std::max<size_t>(sets.size(), 1));
  result.per_example = static_cast<double>(all) / examples;
  result.share = static_cast<double>(most) / examples;
  return result;
}

}  // namespace heed::probe
