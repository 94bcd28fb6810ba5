#include "dialog/track/metrics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "dialog/text/word_bytes.h"

namespace heed::track {
namespace {

// The words of a text, each between blanks: " modern european ".
std::string spaced_words(const std::string& text) {
  std::string words = " ";
  for (const char c : lower_case(text)) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      words += c;
    } else if (words.back() != ' ') {
      words += ' ';
    }
  }
  return words.back() == ' ' ? words : words + ' ';
}

// Calls use(turn, c, t) for each turn that is not a distraction.
template <class Use> void each_turn(const std::vector<Conversation>& conversations, Use use) {
  for (size_t c = 0; c < conversations.size(); ++c) {
    const std::vector<UserTurn>& turns = conversations[c].turns;
    for (size_t t = 0; t < turns.size(); ++t) {
      if (!turns[t].distraction) use(turns[t], c, t);
    }
  }
}

Belief belief_in(State state) {
  return {state, state, std::vector<double>(state.size(), 1)};
}

}  // namespace

std::vector<TurnScore> score(const Slots& slots, const std::vector<Conversation>& conversations,
                             const Beliefs& beliefs) {
  const State nothing = slots.nothing();
  std::vector<TurnScore> scores;
  each_turn(conversations, [&](const UserTurn& turn, size_t c, size_t t) {
    const Belief& b = beliefs[c][t];
    const State &tracked = t == 0 ? nothing : beliefs[c][t - 1].state,
                &right = t == 0 ? nothing : conversations[c].turns[t - 1].state;
    TurnScore& s = scores.emplace_back(TurnScore{
        .joint = b.state == turn.state, .set = b.above_half == turn.state, .change = true});
    for (size_t i = 0; i < slots.count(); ++i) {
      s.slots.push_back(b.state[i] == turn.state[i]);
      const bool changes = turn.state[i] != right[i];
      s.change = s.change && changes == (b.state[i] != tracked[i]) && (!changes || s.slots[i]);
    }
  });
  return scores;
}

Accuracy mean(const std::vector<TurnScore>& scores) {
  Accuracy a;
  for (const TurnScore& s : scores) {
    a.joint += s.joint;
    a.set += s.set;
    a.change += s.change;
    a.slots.resize(s.slots.size());
    for (size_t i = 0; i < s.slots.size(); ++i) a.slots[i] += s.slots[i];
  }
  const double n = std::max(1.0, static_cast<double>(scores.size()));
  for (double* share : {&a.joint, &a.set, &a.change}) *share /= n;
  for (double& share : a.slots) share /= n;
  return a;
}

std::vector<std::optional<bool>> survivals(const Slots& slots,
                                           const std::vector<Conversation>& conversations,
                                           const Beliefs& beliefs) {
  std::vector<std::optional<bool>> all;
  each_turn(conversations, [&](const UserTurn&, size_t c, size_t t) {
    std::optional<bool>& survives = all.emplace_back();
    if (t == 0 || !conversations[c].turns[t - 1].distraction) return;
    survives = beliefs[c][t - 1].state == (t == 1 ? slots.nothing() : beliefs[c][t - 2].state);
  });
  return all;
}

Beliefs string_match(const Slots& slots, const std::vector<Conversation>& conversations) {
  std::vector<std::string> words;  // of each value, empty: no words
  for (int32_t i = 0; i < slots.size(); ++i) {
    const std::string value = slots.value(i);
    const bool is_word = value != "none" && value != "dontcare";
    words.push_back(is_word ? spaced_words(value) : "");
  }
  Beliefs beliefs;
  for (const Conversation& conversation : conversations) {
    std::vector<Belief>& of = beliefs.emplace_back();
    State state = slots.nothing();
    for (const UserTurn& turn : conversation.turns) {
      const std::string said = spaced_words(turn.text);
      for (size_t s = 0; s < slots.count(); ++s) {
        size_t longest = 1;  // of nothing but the blank
        for (int64_t i = slots[s].begin; i < slots[s].end; ++i) {
          if (words[i].size() <= longest || said.find(words[i]) == said.npos) continue;
          longest = words[i].size();
          state[s] = static_cast<int32_t>(i);
        }
      }
      of.push_back(belief_in(state));
    }
  }
  return beliefs;
}

Beliefs most_frequent(const std::vector<Conversation>& conversations) {
  std::map<State, int64_t> counts;
  each_turn(conversations, [&](const UserTurn& turn, size_t, size_t) { ++counts[turn.state]; });
  Beliefs beliefs;
  if (counts.empty()) return beliefs;
  const auto best =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  for (const Conversation& c : conversations) {
    beliefs.emplace_back(c.turns.size(), belief_in(best->first));
  }
  return beliefs;
}

std::vector<SlotShares> slot_shares(const Slots& slots,
                                    const std::vector<Conversation>& conversations) {
  const State nothing = slots.nothing();
  std::vector<SlotShares> shares(slots.count());
  double turns = 0;
  each_turn(conversations, [&](const UserTurn& turn, size_t c, size_t t) {
    const State& before = t == 0 ? nothing : conversations[c].turns[t - 1].state;
    ++turns;
    for (size_t s = 0; s < shares.size(); ++s) {
      shares[s].has_value += turn.state[s] != slots[s].none;
      shares[s].changes += turn.state[s] != before[s];
    }
  });
  for (SlotShares& s : shares) s = {100 * s.has_value / turns, 100 * s.changes / turns};
  return shares;
}

std::vector<PairDependence> dependences(const Slots& slots,
                                        const std::vector<Conversation>& conversations,
                                        const Beliefs& beliefs) {
  std::vector<std::vector<int32_t>> right(slots.count()), tracked(slots.count());
  each_turn(conversations, [&](const UserTurn& turn, size_t c, size_t t) {
    for (size_t s = 0; s < slots.count(); ++s) {
      right[s].push_back(turn.state[s]);
      tracked[s].push_back(beliefs[c][t].state[s]);
    }
  });
  std::vector<PairDependence> pairs;
  for (size_t a = 0; a < slots.count(); ++a) {
    for (size_t b = a + 1; b < slots.count(); ++b) {
      pairs.push_back({a, b, dependence(right[a], right[b]), dependence(tracked[a], tracked[b])});
    }
  }
  return pairs;
}

double phi_difference(const std::vector<PairDependence>& pairs) {
  double sum = 0;
  for (const PairDependence& p : pairs) sum += std::fabs(p.tracked.phi - p.right.phi);
  return sum;
}

}  // namespace heed::track
