#include "dialog/data/dialogue.h"

namespace heed {

void add_message(Dialogue& dialogue, std::string_view speaker, std::string_view text) {
  if (is_blank(text)) return;
  if (dialogue.turns.empty() || dialogue.turns.back().speaker != speaker) {
    dialogue.turns.push_back({std::string(speaker), std::string(text)});
  } else {
    dialogue.turns.back().text.append(" ").append(text);
  }
}

}  // namespace heed
