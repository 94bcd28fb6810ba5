#include "dialog/data/conversations.h"

#include <map>
#include <string_view>

#include "dialog/data/split.h"

namespace heed {

std::vector<int> conversations(const std::vector<Dialogue>& dialogues,
                               const std::vector<Example>& examples) {
  const std::vector<size_t> groups = group_dialogues(dialogues, SplitBy::kConversation);
  std::map<std::string_view, size_t> by_name;
  for (size_t i = 0; i < dialogues.size(); ++i) by_name.emplace(dialogues[i].id, groups[i]);
  std::vector<int> result;
  std::map<size_t, int> numbers;
  for (const Example& example : examples) {
    const size_t group = by_name.at(example.dialogue_id);
    result.push_back(numbers.emplace(group, static_cast<int>(numbers.size())).first->second);
  }
  return result;
}

}  // namespace heed
