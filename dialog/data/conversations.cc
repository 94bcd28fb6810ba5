#include "dialog/data/conversations.h"

#include <map>
#include <string_view>

#include "dialog/data/split.h"

namespace heed {

std::vector<int> conversations(const std::vector<Dialogue>& dialogues,
                               const std::vector<size_t>& places) {
  const std::vector<size_t> groups = group_dialogues(dialogues, SplitBy::kConversation);
  std::vector<int> result;
  std::map<size_t, int> numbers;
  for (const size_t place : places) {
    const int next = static_cast<int>(numbers.size());
    result.push_back(numbers.emplace(groups.at(place), next).first->second);
  }
  return result;
}

std::vector<int> conversations(const std::vector<Dialogue>& dialogues,
                               const std::vector<Example>& examples) {
  std::map<std::string_view, size_t> by_name;
  for (size_t i = 0; i < dialogues.size(); ++i) by_name.emplace(dialogues[i].id, i);
  std::vector<size_t> places;
  for (const Example& example : examples) places.push_back(by_name.at(example.dialogue_id));
  return conversations(dialogues, places);
}

}  // namespace heed
