#include "dialog/track/states.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/list.h"
#include "dialog/data/fail_at.h"

namespace heed::track {
namespace {

constexpr const char* kNone = "none";
constexpr size_t kMaxBytes = 1024;  // of a line of values.txt

// The names of Slots::of().
std::vector<std::string> names_in(const std::string& which) {
  std::vector<std::string> names;
  for (const std::string& name : split(which, ',')) names.emplace_back(trimmed(name));
  return names;
}
bool is_named(const std::string& slot, const std::string& name) {
  if (name.ends_with('*')) return slot.starts_with(name.substr(0, name.size() - 1));
  return slot == name;
}

}  // namespace

NameAndValue read_state_label(const std::string& label, const std::string& file, size_t n) {
  if (label.size() > kMaxBytes) {
    fail_at(file, n,
            "a state has at most " + std::to_string(kMaxBytes) + " bytes, got " +
                std::to_string(label.size()));
  }
  if (label.find('\0') != label.npos) fail_at(file, n, "a state has no zero byte");
  NameAndValue read = split_value(label_value(label));
  if (!read.name.empty() && !read.value.empty()) return read;
  fail_at(file, n, "a state must be slot=value, got '" + label + "'");
}

Slots::Slots(Vocabulary values, const std::string& file) : values_(std::move(values)) {
  std::set<std::string> seen;
  for (int32_t id = kSpecialTokens; id < values_.size(); ++id) {
    const auto [slot, value] = split_value(values_.token(id));
    const auto refuse = [&](const std::string& rule) {
      throw DataError(file + ":" + std::to_string(id + 1) + ": " + rule);
    };
    if (slot.empty() || value.empty())
      refuse("expected slot=value, got '" + values_.token(id) + "'");
    const int64_t place = id - kSpecialTokens;
    if (slots_.empty() || slots_.back().name != slot) {
      if (!seen.insert(slot).second) refuse("the values of '" + slot + "' are not together");
      slots_.push_back({.name = slot, .begin = place});
    }
    slots_.back().end = place + 1;
    if (value == kNone) slots_.back().none = static_cast<int32_t>(place);
  }
  if (slots_.empty()) throw DataError(file + ": there is no slot");
  for (const Slot& slot : slots_) {
    if (slot.none < 0) throw DataError(file + ": '" + slot.name + "=none' is missing");
  }
}

Slots Slots::of(const std::vector<Dialogue>& dialogues, const std::string& which,
                const std::string& file) {
  TokenCounts counts;  // all 1: the vocabulary is in the order of the bytes, a slot's together
  std::set<std::string> seen;
  for (size_t n = 0; n < dialogues.size(); ++n) {
    for (const Turn& turn : dialogues[n].turns) {
      for (const std::string& label : values_in(turn.notes->labels, "state")) {
        const auto [slot, value] = read_state_label(label, file, n);
        if (!is_wanted(slot, which)) continue;
        counts[slot + "=" + value] = counts[slot + "=" + kNone] = 1;
        seen.insert(slot);
      }
    }
  }
  for (const std::string& name : names_in(which)) {
    if (std::any_of(seen.begin(), seen.end(), [&](const auto& s) { return is_named(s, name); })) {
      continue;
    }
    throw DataError(file + ": no turn has a state with a slot of '" + name + "'");
  }
  if (seen.empty()) {
    throw DataError(file + ": no turn has a state (a label \"state\" of values \"slot=value\")");
  }
  return {Vocabulary::build(counts, {.max_size = Vocabulary::kMaxSize}), file};
}

std::string Slots::value(int32_t place) const {
  return place < size() ? split_value(values_.token(place + kSpecialTokens)).value : "?";
}

State Slots::nothing() const {
  State state;
  for (const Slot& slot : slots_) state.push_back(slot.none);
  return state;
}

bool Slots::has(const std::string& slot) const {
  return std::any_of(begin(), end(), [&](const Slot& s) { return s.name == slot; });
}

State Slots::state(const std::vector<std::string>& labels,
                   std::vector<std::string>& unknown) const {
  State state = nothing();
  for (const std::string& text : labels) {
    const std::string label = label_value(text);
    const std::string slot = split_value(label).name;
    const auto found = std::find_if(begin(), end(), [&](const Slot& s) { return s.name == slot; });
    if (found == end()) continue;
    int32_t& place = state[found - begin()];
    const int32_t id = values_.id(label);
    if (id != kUnk) {
      place = id - kSpecialTokens;
      continue;
    }
    const auto at = std::find(unknown.begin(), unknown.end(), label);
    place = static_cast<int32_t>(size() + (at - unknown.begin()));
    if (at == unknown.end()) unknown.push_back(label);
  }
  return state;
}

std::vector<std::pair<std::string, std::string>> Slots::named(const State& state) const {
  std::vector<std::pair<std::string, std::string>> named;
  for (size_t s = 0; s < count(); ++s) {
    if (state[s] != slots_[s].none) named.emplace_back(slots_[s].name, value(state[s]));
  }
  return named;
}

bool is_wanted(const std::string& slot, const std::string& which) {
  const std::vector<std::string> names = names_in(which);
  return names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
           return is_named(slot, name);
         });
}

}  // namespace heed::track
