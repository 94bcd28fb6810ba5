#include "dialog/split.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <string_view>
#include <unordered_map>

#include "dialog/tokenizer.h"
#include "tensor/error.h"
#include "tensor/random.h"

namespace heed {
namespace {

// Disjoint sets of numbers.
class Sets {
 public:
  explicit Sets(size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0); }
  size_t root(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(size_t a, size_t b) { parent_[root(a)] = root(b); }

 private:
  std::vector<size_t> parent_;
};

size_t count_characters(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// Calls visit(utterance) for each long utterance of the dialogue.
template <class Visit>
void for_long_utterances(const Dialogue& dialogue, Tokenizer& tokenizer, Visit visit) {
  for (const Turn& turn : dialogue.turns) {
    std::string text;
    for (std::string_view token : tokenizer(turn.text)) {
      text.append(text.empty() ? "" : " ").append(token);
    }
    if (count_characters(text) >= kLongUtterance) visit(std::move(text));
  }
}

// The numbers of the groups that have these keys.
std::vector<size_t> number(const std::vector<std::string>& keys) {
  std::unordered_map<std::string_view, size_t> numbers;
  std::vector<size_t> groups;
  for (const std::string& key : keys) {
    groups.push_back(numbers.try_emplace(key, numbers.size()).first->second);
  }
  return groups;
}

std::vector<size_t> conversations(const std::vector<Dialogue>& dialogues) {
  Sets sets(dialogues.size());
  std::unordered_map<std::string, size_t> said_in;
  Tokenizer tokenizer;
  for (size_t i = 0; i < dialogues.size(); ++i) {
    for_long_utterances(dialogues[i], tokenizer, [&](std::string text) {
      sets.join(i, said_in.try_emplace(std::move(text), i).first->second);
    });
  }
  std::unordered_map<size_t, size_t> numbers;
  std::vector<size_t> groups;
  for (size_t i = 0; i < dialogues.size(); ++i) {
    groups.push_back(numbers.try_emplace(sets.root(i), numbers.size()).first->second);
  }
  return groups;
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

std::string folder_of(const std::string& id) {
  const size_t slash = id.rfind('/');
  if (slash == id.npos)
    throw DataError("dialogue '" + id + "': its id holds no '/'; it may be split by conversation");
  return id.substr(0, slash);
}

}  // namespace

std::vector<size_t> group_dialogues(const std::vector<Dialogue>& dialogues, SplitBy by) {
  if (by == SplitBy::kConversation) return conversations(dialogues);
  std::vector<std::string> keys;
  for (size_t i = 0; i < dialogues.size(); ++i) {
    const std::string& id = dialogues[i].id;
    keys.push_back(by == SplitBy::kDay      ? day_of(id)
                   : by == SplitBy::kFolder ? folder_of(id)
                                            : std::to_string(i));
  }
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

size_t count_shared(const std::vector<Dialogue>& dialogues, const Parts& parts) {
  std::unordered_map<std::string, unsigned> said_in;  // a bit for each part
  Tokenizer tokenizer;
  unsigned bit = 1;
  for (const auto* part : {&parts.train, &parts.valid, &parts.test}) {
    for (size_t i : *part) {
      for_long_utterances(dialogues[i], tokenizer,
                          [&](std::string text) { said_in[std::move(text)] |= bit; });
    }
    bit *= 2;
  }
  return static_cast<size_t>(std::count_if(said_in.begin(), said_in.end(), [](const auto& entry) {
    return (entry.second & (entry.second - 1)) != 0;
  }));
}

}  // namespace heed
