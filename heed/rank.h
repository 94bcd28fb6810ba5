// heed rank: the lists of candidates.
#pragma once

#include <CLI/App.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dialog/parts/encoder.h"
#include "dialog/retrieve/candidates.h"
#include "dialog/retrieve/metrics.h"
#include "experiments/measure/ranked_sets.h"

namespace heed {

// Dialogues of a file, and their responses.
struct RankedPart {
  std::string path;
  std::vector<Dialogue> dialogues;
  std::vector<retrieve::Pair> pairs;

  // Throws DataError where there is no response.
  RankedPart(const std::string& path, std::vector<Dialogue> dialogues,
             const ExampleOptions& options, bool whole_context);
  nlohmann::ordered_json to_json() const;
};

// The lists of a part, and the way they were made: "stride:100".
struct RankedLists {
  std::string kind;
  retrieve::Lists lists;
  retrieve::Duplicates duplicates;

  RankedLists(const RankedPart& part, const std::string& kind, uint64_t seed);
  void say(const std::string& path) const;  // a note, for people
  nlohmann::ordered_json to_json() const;
};

// Lists without scores. Conversations are numbered from 0 in the order of the lists; a dialogue has
// `several` lists, or one.
std::vector<retrieve::ScoredList> unscored(const RankedPart& part, const retrieve::Lists& lists,
                                           bool several);
std::vector<MarkedContext> contexts_of(const RankedPart& part, const retrieve::Lists& lists);

using ListScores = std::vector<std::vector<double>>;  // of the candidates of each list
// What a ranker says of them, with progress under this name.
Ranker::Scores scores_of(const Ranker& ranker, const std::string& name,
                         const retrieve::Lists& lists, const std::vector<MarkedContext>& contexts);
void note_remark(const std::string& name, const Ranker::Scores& scores);  // if there is one

void add_rank_scores(CLI::App& rank);  // heed rank scores

}  // namespace heed
