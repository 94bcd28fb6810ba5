// Answers that are chosen from a pool of texts.
#pragma once

#include <string>
#include <vector>

#include "dialog/parts/vector_ranker.h"

namespace heed::retrieve {

// Texts that may answer: one per line, plain or gzip. Blank lines are left out, and so are repeated
// texts, which *repeated counts. Throws DataError for fewer than two texts, and for text that is
// not UTF-8.
std::vector<std::string> read_pool(const std::string& path, size_t* repeated = nullptr);
// The content of such a file. A line break within a text becomes a space.
std::string pool_lines(const std::vector<std::string>& texts);

// A text in lower case, without punctuation, symbols and repeated blanks; the text itself where
// nothing is left, as of ":)". Texts count as the same if these are equal.
std::string bare(const std::string& text);

// The `size` most frequent of these texts (Swanson et al. 2019), or all different ones if there are
// fewer; equally frequent ones in order. Texts are in their commonest form.
std::vector<std::string> most_frequent(const std::vector<std::string>& texts, size_t size);
// Clusters the ranker's vectors of the different texts (dialog/retrieve/clusters.h), into at most
// `size` clusters, and returns the most frequent text of each; among equally frequent ones the
// nearest to the centre.
std::vector<std::string> most_frequent_of_clusters(const std::vector<std::string>& texts,
                                                   size_t size, const VectorRanker& ranker,
                                                   uint64_t seed,
                                                   const VectorRanker::OnTexts& progress = {});
// The share of texts that are in the pool, compared by bare().
double coverage(const std::vector<std::string>& pool, const std::vector<std::string>& texts);

struct Choice {
  std::string text;
  double score;
  std::vector<std::string>
      common;  // words that the context has, too, each once, in the text's order
};
// For each context, oldest utterance first, the best `count` texts of the pool, best first; those
// with the same score are in the pool's order. Texts that were already said in it (by bare()) come
// last: a ranker likes the words of the context best, and would repeat them forever. `progress`
// counts contexts.
std::vector<std::vector<Choice>> choose(const Ranker& ranker, const std::vector<std::string>& pool,
                                        const std::vector<std::vector<std::string>>& contexts,
                                        size_t count, const VectorRanker::OnTexts& progress = {});

}  // namespace heed::retrieve
