#include "dialog/carry/rules.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "dialog/text/word_bytes.h"

namespace heed::carry {
namespace {

std::string to_three(size_t n) {
  return n >= 3 ? ">=3" : std::to_string(n);
}

std::string final_group(const Item& item) {
  std::set<std::string> keys, said_now;
  for (size_t i = 0; i < item.candidates.size(); ++i) {
    if (!item.carry[i]) continue;
    keys.insert(item.candidates[i].key);
    if (item.distance(i) == 0) said_now.insert(item.candidates[i].key);
  }
  return "final " + to_three(keys.size()) + " carry " + to_three(keys.size() - said_now.size());
}

}  // namespace

std::vector<char> decide_by_rule(const std::string& rule, const Item& item) {
  if (std::find(kRules.begin(), kRules.end(), rule) == kRules.end()) {
    throw UsageError("rule: expected everything, latest or latest-user, got '" + rule + "'");
  }
  if (rule == "everything") return std::vector<char>(item.candidates.size(), 1);
  using Key = std::pair<std::string, std::string>;  // of a service
  const auto key_of = [](const Candidate& c) { return Key(c.from, c.key); };
  std::map<Key, std::pair<int32_t, std::string>> latest;  // turn and value
  for (const Candidate& c : item.candidates) {
    const std::string& speaker = item.turns[static_cast<size_t>(c.turn)].speaker;
    if (rule == "latest-user" && speaker != item.turns.back().speaker) continue;
    auto& [turn, value] = latest.try_emplace(key_of(c), -1, "").first->second;
    if (c.turn >= turn) turn = c.turn, value = lower_case(c.value);
  }
  std::vector<char> decided;
  for (const Candidate& c : item.candidates) {
    const auto found = latest.find(key_of(c));
    decided.push_back(found != latest.end() && found->second.second == lower_case(c.value));
  }
  return decided;
}

std::string distance_group(int32_t distance) {
  return kDistances[static_cast<size_t>(std::clamp(distance, 0, 6))];
}

void count(const Item& item, const std::vector<char>& decided, Tallies& tallies) {
  const std::string of_item = final_group(item);
  for (size_t i = 0; i < item.candidates.size(); ++i) {
    std::vector<std::string> groups = {"all", distance_group(item.distance(i)),
                                       item.unseen ? "new" : "seen", of_item};
    if (item.distance(i) >= 1) groups.emplace_back(">=1");
    for (const char* set : {"both", item.candidates[i].from.empty() ? "same" : "cross"}) {
      for (const std::string& group : groups) {
        Tally& t = tallies[std::string(set) + "/" + group];
        t.hits += decided[i] && item.carry[i];
        t.decided += decided[i];
        t.right += item.carry[i];
      }
    }
  }
}

}  // namespace heed::carry
