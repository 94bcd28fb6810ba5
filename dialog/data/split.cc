#include "dialog/data/split.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/error.h"
#include "base/utf8.h"
#include "dialog/data/formats/published.h"
#include "tensor/random.h"

namespace heed {
namespace {

// Sets that are merged until each is a conversation (Tarjan 1975, with halved paths).
class UnionFind {
 public:
  explicit UnionFind(size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0); }

  size_t find(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void unite(size_t i, size_t k) { parent_[find(i)] = find(k); }

 private:
  std::vector<size_t> parent_;
};

bool is_long(const Turn& turn) {
  return !turn.distraction && count_code_points(turn.text) >= int64_t{kLongUtterance};
}

// The dialogues that each long utterance stands in, ascending, without stock phrases.
std::unordered_map<std::string_view, std::vector<size_t>> said_in(
    const std::vector<Dialogue>& dialogues) {
  std::unordered_map<std::string_view, std::vector<size_t>> places;
  for (size_t i = 0; i < dialogues.size(); ++i) {
    for (const Turn& turn : dialogues[i].turns) {
      if (!is_long(turn)) continue;
      std::vector<size_t>& of_text = places[turn.text];
      if (of_text.empty() || of_text.back() != i) of_text.push_back(i);
    }
  }
  std::erase_if(places, [](const auto& entry) { return entry.second.size() > kStockPhrase; });
  return places;
}

// Equal keys get equal numbers, from 0 in the order in which they come.
template <class Key> std::vector<size_t> number(const std::vector<Key>& keys) {
  std::unordered_map<Key, size_t> numbers;
  std::vector<size_t> groups;
  for (const Key& key : keys) {
    groups.push_back(numbers.try_emplace(key, numbers.size()).first->second);
  }
  return groups;
}

std::vector<size_t> conversations(const std::vector<Dialogue>& dialogues) {
  UnionFind sets(dialogues.size());
  std::unordered_map<std::string_view, size_t> by_name;  // the first dialogue that has it
  for (size_t i = 0; i < dialogues.size(); ++i) {
    sets.unite(i, by_name.try_emplace(dialogues[i].id, i).first->second);
  }
  for (const auto& [text, places] : said_in(dialogues)) {
    for (const size_t i : places) sets.unite(i, places[0]);
  }
  std::vector<size_t> roots;
  for (size_t i = 0; i < dialogues.size(); ++i) roots.push_back(sets.find(i));
  return number(roots);
}

bool is_date(std::string_view text) {
  constexpr std::string_view pattern = "0000-00-00";
  return text.size() == pattern.size() &&
         std::equal(text.begin(), text.end(), pattern.begin(),
                    [](char c, char p) { return p == '0' ? c >= '0' && c <= '9' : c == p; });
}

std::string day_of(const std::string& id) {
  for (size_t at = 0; at < id.size(); ++at) {
    const std::string day = id.substr(at, 10);
    if (is_date(day)) return day;
  }
  throw DataError("dialogue '" + id +
                  "': its id holds no date such as 2024-12-31; it may be split by conversation");
}

// The id up to the last such sign.
std::string id_before(const std::string& id, char sign) {
  const size_t end = id.rfind(sign);
  if (end == id.npos) {
    throw DataError("dialogue '" + id + "': its id holds no '" + sign +
                    "'; it may be split by conversation");
  }
  return id.substr(0, end);
}

std::string key_of(const Dialogue& dialogue, size_t place, SplitBy by) {
  switch (by) {
    case SplitBy::kDay: return day_of(dialogue.id);
    case SplitBy::kFolder: return id_before(dialogue.id, '/');
    case SplitBy::kFilm: return id_before(dialogue.id, ':');
    default: return std::to_string(place);
  }
}

}  // namespace

std::vector<size_t> group_dialogues(const std::vector<Dialogue>& dialogues, SplitBy by) {
  if (by == SplitBy::kConversation) return conversations(dialogues);
  std::vector<std::string> keys;
  for (size_t i = 0; i < dialogues.size(); ++i) keys.push_back(key_of(dialogues[i], i, by));
  return number(keys);
}

Parts split(const std::vector<size_t>& groups, double valid_share, double test_share,
            uint64_t seed) {
  std::vector<std::vector<size_t>> members;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] >= members.size()) members.resize(groups[i] + 1);
    members[groups[i]].push_back(i);
  }
  Rng(seed, "split").shuffle(members);
  const auto room = [&](double share) {
    const double part = std::round(share * static_cast<double>(groups.size()));
    return share > 0 ? std::max<size_t>(1, static_cast<size_t>(part)) : 0;
  };
  const size_t valid_room = room(valid_share), test_room = room(test_share);
  Parts parts;
  for (const std::vector<size_t>& group : members) {
    std::vector<size_t>& part = parts.test.size() + group.size() <= test_room     ? parts.test
                                : parts.valid.size() + group.size() <= valid_room ? parts.valid
                                                                                  : parts.train;
    part.insert(part.end(), group.begin(), group.end());
  }
  for (auto* part : {&parts.train, &parts.valid, &parts.test}) {
    std::sort(part->begin(), part->end());
  }
  return parts;
}

Parts published_parts(const std::vector<Dialogue>& dialogues) {
  Parts parts;
  for (size_t i = 0; i < dialogues.size(); ++i) {
    const std::vector<std::string>& values = values_in(dialogues[i].notes->labels, "part");
    const std::string part = values.size() == 1 ? values[0] : "";
    if (part != "train" && part != "valid" && part != "test") {
      throw DataError("dialogue '" + dialogues[i].id +
                      "': its label \"part\" is not train, valid or test; it may be split by "
                      "conversation");
    }
    (part == "train" ? parts.train : part == "valid" ? parts.valid : parts.test).push_back(i);
  }
  return parts;
}

size_t count_shared(const std::vector<Dialogue>& dialogues, const Parts& parts) {
  std::vector<int> part_of(dialogues.size(), 0);
  int number = 0;
  for (const auto* part : {&parts.train, &parts.valid, &parts.test}) {
    ++number;
    for (const size_t i : *part) part_of[i] = number;
  }
  size_t shared = 0;
  for (const auto& [text, places] : said_in(dialogues)) {
    std::set<int> in;
    for (const size_t i : places) in.insert(part_of[i]);
    in.erase(0);  // of no part
    shared += in.size() > 1;
  }
  return shared;
}

}  // namespace heed
