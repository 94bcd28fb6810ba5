#include "experiment/conversations.h"

#include <map>
#include <numeric>
#include <string_view>

#include "dialog/utf8.h"

namespace heed {
namespace {

// Sets that are merged until each is a conversation (Tarjan 1975, with halved paths).
class UnionFind {
 public:
  explicit UnionFind(size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }

  size_t find(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void unite(size_t i, size_t k) { parent_[find(i)] = find(k); }

 private:
  std::vector<size_t> parent_;
};

size_t characters(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); ++count) next_code_point(text, at);
  return count;
}

}  // namespace

std::vector<int> conversations(const std::vector<Dialogue>& dialogues,
                               const std::vector<Example>& examples) {
  UnionFind sets(dialogues.size());
  std::map<std::string_view, size_t> by_name, by_text;  // the first dialogue that has it
  for (size_t i = 0; i < dialogues.size(); ++i) {
    sets.unite(i, by_name.emplace(dialogues[i].id, i).first->second);
    for (const Turn& turn : dialogues[i].turns) {
      if (turn.distraction || characters(turn.text) < kSharedCharacters) continue;
      sets.unite(i, by_text.emplace(turn.text, i).first->second);
    }
  }
  std::vector<int> result;
  std::map<size_t, int> numbers;
  for (const Example& example : examples) {
    const size_t set = sets.find(by_name.at(example.dialogue_id));
    result.push_back(numbers.emplace(set, static_cast<int>(numbers.size())).first->second);
  }
  return result;
}

}  // namespace heed
