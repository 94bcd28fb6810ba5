// heed rank scores: the numbers of a ranking from scores in a file.
#include <algorithm>

#include "dialog/retrieve/score_file.h"
#include "experiments/measure/measure_json.h"
#include "heed/command.h"
#include "heed/rank.h"
#include "train/run_directory.h"

namespace heed {
namespace {

using retrieve::ScoredList;

struct Options {
  CommonPtr common;
  std::string data, json;
};

void scores(const Options& o) {
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
  const auto [c, o] = declare<Options>(
      rank, "scores", "The same numbers of scores in a file",
      "A line is {\"right\": [0], \"scores\": [0.5, 0.25]}: the places of the right candidates, "
      "from 0, and a score of each candidate; lists may have different lengths. Optional are "
      "\"id\" and \"conversation\", a number: lists of one conversation are not independent. --out "
      "of `heed rank baseline` writes such a file.\n"
      "Example:\n"
      "  heed rank scores my-scores.jsonl --json numbers.json",
      {.device = false, .seed = "Seed of the intervals"}, scores);
  c.add_option("file", o.data, "The scores, JSON Lines, plain or gzip")->required();
  add_json(c, o.json);
}

}  // namespace heed
