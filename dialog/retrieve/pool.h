// Answers that are chosen out of a pool of texts.
#pragma once

#include <string>
#include <vector>

#include "dialog/parts/vector_ranker.h"

namespace heed::retrieve {

// Texts that may answer: a line each, plain or gzip. Blank lines are left out, and so is a text
// that was there before, which *repeated counts. Throws DataError for fewer than two texts.
std::vector<std::string> read_pool(const std::string& path, size_t* repeated = nullptr);
// What such a file holds. A line break within a text becomes a space.
std::string pool_lines(const std::vector<std::string>& texts);

// The words of a text, in small letters: texts are the same where these are, whatever their case
// and punctuation.
std::string bare(const std::string& text);

// The `size` most frequent of these texts (Swanson et al. 2019), or all different ones; equally
// frequent ones in their order. Texts stand in their commonest form; those without a word are left
// out.
std::vector<std::string> most_frequent(const std::vector<std::string>& texts, size_t size);
// The different texts in so many clusters, or as many as there are, (dialog/retrieve/clusters.h) of
// the ranker's vectors of responses, and of each the most frequent one, of equally frequent ones
// the nearest to the centre.
std::vector<std::string> most_frequent_of_clusters(const std::vector<std::string>& texts,
                                                   size_t size, const VectorRanker& ranker,
                                                   uint64_t seed,
                                                   const VectorRanker::OnTexts& progress = {});
// The share of texts that are in the pool, the same in that sense.
double coverage(const std::vector<std::string>& pool, const std::vector<std::string>& texts);

struct Choice {
  std::string text;
  double score;
  std::vector<std::string>
      common;  // words that the context has, too, each once, in the text's order
};
// Of each context, oldest utterance first, the best `count` texts of the pool, the best one first;
// those with the same score in the pool's order. `progress`: contexts.
std::vector<std::vector<Choice>> choose(const Ranker& ranker, const std::vector<std::string>& pool,
                                        const std::vector<std::vector<std::string>>& contexts,
                                        size_t count, const VectorRanker::OnTexts& progress = {});

}  // namespace heed::retrieve
