// The ranks of the right responses among the candidates, by a scorer's numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace heed::retrieve {

// The candidates of one context.
struct ScoredList {
  std::string id = {};
  int conversation = 0;  // lists of one conversation are not independent
  std::vector<double> scores = {};
  std::vector<size_t> right = {};  // indices into scores
  // Of each utterance of the context that the scorer read, the last ones; empty: it has none.
  std::vector<double> attention = {};
};

// Candidates with the same score have no order: every number here is the mean over all their
// orders, so equal texts share the credit, and a scorer that gives all n candidates the same score
// has R@k = k / n and a reciprocal rank of H_n / n.
class Ranks {
 public:
  // Throws DataError "rule" for fewer than two candidates, none that is right, an index that is out
  // of range or repeated, and scores that are not finite.
  explicit Ranks(const ScoredList& list);

  // Share of the right responses among the first k. With one right response, g candidates above it
  // and e others equal to it: clamp((k - g) / (e + 1), 0, 1).
  double recall(int64_t k) const;
  // 1 / the rank of the first right response: with one, mean over i = 0..e of 1 / (g + 1 + i).
  double reciprocal() const;
  // Mean over the right responses, by rank, of i / rank_i, i from 1: with one the same as above.
  double average_precision() const;

  // For the best right response: its rank if it comes before its equals, and how many others have
  // its score.
  int64_t first() const { return groups_.front().above + 1; }
  int64_t ties() const { return groups_.front().size - 1; }

 private:
  struct Group {  // candidates with the same score, at least one of them right; best score first
    int64_t above, size, right;
  };
  std::vector<Group> groups_;
  int64_t right_ = 0;
};

}  // namespace heed::retrieve
