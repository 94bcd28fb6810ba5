// Answers that are chosen out of a pool of texts.
#pragma once

#include <string>
#include <vector>

#include "dialog/parts/encoder.h"

namespace heed::retrieve {

// Texts that may answer: a line each, plain or gzip. Blank lines are left out, and so is a text
// that was there before, which *repeated counts. Throws DataError for fewer than two texts.
std::vector<std::string> read_pool(const std::string& path, size_t* repeated = nullptr);

struct Choice {
  std::string text;
  double score;
  std::vector<std::string>
      common;  // words that the context has, too, each once, in the text's order
};
// Of each context, oldest utterance first, the best `count` texts of the pool, the best one first;
// those with the same score in the pool's order. `progress`: contexts.
std::vector<std::vector<Choice>> choose(
    const Ranker& ranker, const std::vector<std::string>& pool,
    const std::vector<std::vector<std::string>>& contexts, size_t count,
    const std::function<void(size_t done, size_t of)>& progress = {});

}  // namespace heed::retrieve
