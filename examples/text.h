// Shared by the two language models: their text, and drawing from their predictions.
#pragma once

#include <string>
#include <vector>

#include "dialog/data/corpus.h"
#include "tensor/random.h"

namespace examples {

using namespace heed;

// The first bytes of all texts of a part of the sample, one text a line.
inline std::string read_texts(const std::string& data, const std::string& part, size_t bytes) {
  std::string text;
  for (const Dialogue& dialogue : read_dialogues(find_part(data, part))) {
    for (const Turn& turn : dialogue.turns) text += turn.text + '\n';
    if (text.size() > bytes) break;
  }
  return text.substr(0, bytes);
}

// i with probability p_i.
inline int draw(const std::vector<double>& p, Rng& rng) {
  double left = rng.uniform();
  int i = 0;
  while (i + 1 < static_cast<int>(p.size()) && (left -= p[i]) >= 0) ++i;
  return i;
}

}  // namespace examples
