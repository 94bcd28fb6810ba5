#include "dialog/track/states.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "dialog/data/fail_at.h"
#include "dialog/data/formats/published.h"

namespace heed::track {
namespace {

constexpr const char* kNone = "none";

}  // namespace

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
  for (size_t n = 0; n < dialogues.size(); ++n) {
    for (const Turn& turn : dialogues[n].turns) {
      const auto found = turn.notes->labels.find("state");
      if (found == turn.notes->labels.end()) continue;
      for (const std::string& label : found->second) {
        const auto [slot, value] = split_value(label_value(label));
        if (value.empty()) fail_at(file, n, "a state must be slot=value, got '" + label + "'");
        if (!is_wanted(slot, which)) continue;
        counts[slot + "=" + value] = counts[slot + "=" + kNone] = 1;
      }
    }
  }
  if (counts.empty()) {
    throw DataError(file + ": no turn has a state" +
                    (which.empty() ? " (a label \"state\" of values \"slot=value\")"
                                   : " with a slot of '" + which + "'"));
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
  if (which.empty()) return true;
  for (size_t begin = 0; begin <= which.size();) {
    const size_t end = std::min(which.find(',', begin), which.size());
    const std::string name(trimmed(which.substr(begin, end - begin)));
    begin = end + 1;
    if (name == slot) return true;
    if (name.ends_with('*') && slot.starts_with(name.substr(0, name.size() - 1))) return true;
  }
  return false;
}

}  // namespace heed::track
