#include "dialog/data/pairs.h"

#include <algorithm>

#include "base/error.h"
#include "base/number.h"
#include "base/utf8.h"

namespace heed {

bool Characters::fits(const std::string& text) const {
  const int64_t count = count_code_points(text);
  return least <= count && count <= most;
}

Characters parse_characters(const std::string& bounds) {
  const size_t colon = std::min(bounds.find(':'), bounds.size());
  const auto least = number_in<int64_t>(bounds.substr(0, colon)),
             most = number_in<int64_t>(bounds.substr(std::min(colon + 1, bounds.size())));
  if (least && most && 1 <= *least && *least <= *most) return {*least, *most};
  throw UsageError("characters: expected LEAST:MOST, such as 9:128, got '" + bounds + "'");
}

std::vector<Dialogue> adjacent_pairs(const std::vector<Dialogue>& dialogues,
                                     const Characters& characters) {
  std::vector<Dialogue> pairs;
  for (const Dialogue& dialogue : dialogues) {
    const Turn* message = nullptr;
    for (size_t i = 0; i < dialogue.turns.size(); ++i) {
      const Turn& turn = dialogue.turns[i];
      if (turn.distraction) continue;
      if (message && characters.fits(message->text) && characters.fits(turn.text)) {
        pairs.push_back({dialogue.id + "#" + std::to_string(i + 1), {*message, turn}});
      }
      message = &turn;
    }
  }
  return pairs;
}

}  // namespace heed
