#include "dialog/data/dialogue.h"

namespace heed {
namespace {

size_t count_values(const Labels& labels) {
  size_t count = 0;
  for (const auto& [name, values] : labels) count += values.size();
  return count;
}

}  // namespace

void add_message(Dialogue& dialogue, std::string_view speaker, std::string_view text) {
  if (is_blank(text)) return;
  if (dialogue.turns.empty() || dialogue.turns.back().speaker != speaker) {
    dialogue.turns.push_back({std::string(speaker), std::string(text)});
  } else {
    dialogue.turns.back().text.append(" ").append(text);
  }
}

size_t count_labels(const std::vector<Dialogue>& dialogues) {
  size_t count = 0;
  for (const Dialogue& dialogue : dialogues) {
    count += count_values(dialogue.notes->labels);
    for (const Turn& turn : dialogue.turns) count += count_values(turn.notes->labels);
  }
  return count;
}

}  // namespace heed
