#pragma once

#include <CLI/App.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dialog/respond/responses.h"
#include "heed/measured.h"

namespace heed {

// N-best lists and the scores that order them, as options of `heed generate`.
struct RerankFlags {
  int64_t n_best = 0;             // 0: no lists
  std::vector<std::string> rank;  // "NAME" or "NAME:PATH"
  double weight = 0.5;

  void declare(CLI::App& command);
  // `model`: the one that makes the lists. Throws UsageError for an unknown name, for a name that
  // lacks its path, for one that is given twice, and for a model that cannot rank so; and DataError
  // for a path where there is nothing.
  void check(const std::string& model) const;
  bool weighs() const;  // whether one of the scores has the weight
};

struct Reranked {
  std::vector<Tokens> responses;  // the first ones by the first score of --rank
  nlohmann::ordered_json json;
  std::string table;
};
// `contexts`: the texts before each response, oldest first.
Reranked rerank(const RerankFlags& flags, const Measured& m, const std::string& model,
                const std::vector<std::vector<std::string>>& contexts,
                const std::vector<Offered>& lists, uint64_t seed, int64_t batch);

}  // namespace heed
