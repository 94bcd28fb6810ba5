// Dialogues of given texts.
#pragma once

#include <string>
#include <vector>

#include "dialog/data/corpus.h"

namespace heed {

inline Dialogue dialogue(const std::string& id, const std::vector<std::string>& texts) {
  Dialogue d{id, {}};
  for (const std::string& text : texts) d.turns.push_back({"", text, false});
  return d;
}

}  // namespace heed
