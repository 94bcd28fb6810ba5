// N-best lists in other orders: what a ranker changes, and what any could.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/parts/nbest.h"
#include "dialog/respond/responses.h"
#include "dialog/text/measures.h"
#include "experiments/engine/stats/statistics.h"

namespace heed {

// How much there is to choose from: the means over the lists of their sizes, and of distinct-n
// within each list (Ave.dist-n).
struct ListDiversity {
  double size = 0, distinct_1 = 0, distinct_2 = 0;
};
ListDiversity diversity_of(const std::vector<Offered>& lists);

// The responses that scores put first, measured against people's.
struct RerankedRow {
  std::string name;
  double changed = 0;  // share of the lists whose first response is another one than before
  std::vector<std::optional<double>> values = {};  // of text_measures()
  std::vector<Tokens> firsts = {};
};
// Of each list the place of its best response.
std::vector<size_t> firsts_of(const std::vector<std::vector<double>>& scores);
RerankedRow measure_firsts(const std::string& name, const std::vector<Offered>& lists,
                           const std::vector<size_t>& firsts,
                           const std::vector<Tokens>& references);
// What no ranker of these lists can better in ROUGE-L: the response that is nearest to people's.
std::vector<size_t> nearest_to(const std::vector<Offered>& lists,
                               const std::vector<Tokens>& references);
// What a ranker must better: a response that is drawn.
std::vector<size_t> drawn_of(const std::vector<Offered>& lists, uint64_t seed);

// By how much each row is above the row `than`: of the measures that are means over responses,
// those of mean_measures(), with intervals over the conversations of the lists. Nothing of `than`.
std::vector<TextMeasure> mean_measures();
struct RowAbove {
  std::string name;
  std::vector<std::optional<Estimate>> by;
};
std::vector<RowAbove> rows_above(const std::vector<RerankedRow>& rows, const std::string& than,
                                 const std::vector<Tokens>& references,
                                 const std::vector<int>& conversations);

std::string reranked_table(const std::vector<RerankedRow>& rows, int width);
std::string above_table(const std::vector<RowAbove>& rows, const std::string& than, int width);

}  // namespace heed
