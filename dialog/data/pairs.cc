#include "dialog/data/pairs.h"

#include <charconv>

#include "base/error.h"
#include "base/utf8.h"

namespace heed {

bool Characters::fits(const std::string& text) const {
  const int64_t count = count_code_points(text);
  return least <= count && count <= most;
}

Characters parse_characters(const std::string& bounds) {
  Characters characters;
  const char *at = bounds.data(), *end = at + bounds.size();
  const auto least = std::from_chars(at, end, characters.least);
  if (least.ec == std::errc() && least.ptr != end && *least.ptr == ':') {
    const auto most = std::from_chars(least.ptr + 1, end, characters.most);
    const bool whole = most.ec == std::errc() && most.ptr == end;
    if (whole && 1 <= characters.least && characters.least <= characters.most) return characters;
  }
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
