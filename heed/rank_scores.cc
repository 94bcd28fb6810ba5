// heed rank scores: the measures of a ranking, from scores in a file.
#include <algorithm>

#include "dialog/retrieve/score_file.h"
#include "experiments/measure/measure_json.h"
#include "heed/command.h"
#include "heed/rank.h"
#include "train/run_directory.h"

namespace heed {
namespace {

using retrieve::ScoredList;

struct RankScoresOptions {
  CommonPtr common;
  std::string data, json;
};

void scores(const RankScoresOptions& o) {
  const JsonOutput output(o.json);
  std::vector<Ranking> rows;
  std::vector<ScoredList> lists = retrieve::read_scores(o.data);
  const bool several = std::any_of(lists.begin(), lists.end(),
                                   [](const ScoredList& list) { return list.right.size() > 1; });
  rows.push_back(measure_ranking(o.data, lists, o.common->seed));
  const size_t count = lists.size();
  rows.push_back(chance_ranking(std::move(lists), o.common->seed));
  if (!output.to_stdout())
    std::fputs(rankings_table(rows, several, results_width()).c_str(), stdout);
  if (!output.wanted()) return;
  output.write({{"heed", provenance("rank scores", *o.common)},
                {"inputs",
                 {{"scores", {{"path", o.data}, {"fingerprint", file_checksum(o.data)}}},
                  {"seed", o.common->seed}}},
                {"lists", {{"lists", count}}},
                {"scorers", to_json(rows)}});
}

}  // namespace

void add_rank_scores(CLI::App& rank) {
  const auto [c, o] = declare<RankScoresOptions>(
      rank, "scores", "Compute the same numbers from scores in a file",
      "A line is {\"right\": [0], \"scores\": [0.5, 0.25]}: the places of the right candidates, "
      "counted from 0, and a score for each candidate; lists may have different lengths. \"id\" "
      "and \"conversation\" (a number) are optional; lists of one conversation are not "
      "independent. --out of `heed rank baseline` writes such a file.\n"
      "Example:\n"
      "  heed rank scores my-scores.jsonl --json numbers.json",
      {.device = false, .seed = "Seed of the intervals"}, scores);
  c.add_option("file", o.data, "The scores, JSON Lines, plain or gzip")->required();
  add_json(c, o.json);
}

}  // namespace heed
