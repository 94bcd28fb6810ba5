// heed rank scores: the measures of a ranking, from scores in a file.
#include <algorithm>
#include <optional>

#include "dialog/retrieve/none.h"
#include "dialog/retrieve/score_file.h"
#include "experiments/measure/measure_json.h"
#include "heed/command.h"
#include "heed/rank.h"

namespace heed {
namespace {

using retrieve::ScoredList;

struct RankScoresOptions : CommandOptions {
  std::string data, json, learn;
  double share = 0.2;
};

// Where the right candidates of some lists are taken out.
std::vector<ScoredList> with_none(const RankScoresOptions& o, std::vector<ScoredList> lists,
                                  double score) {
  lists = retrieve::with_none(std::move(lists), o.share, o.common->seed, score);
  const auto without = std::count_if(lists.begin(), lists.end(), [](const ScoredList& list) {
    return list.right[0] + 1 == list.scores.size();
  });
  note(o.data + ": \"none\" has the score " + decimal(score, 4) +
       " in all lists, and is right in " + std::to_string(without) + " of " +
       counted(lists.size(), "list"));
  return lists;
}

Json none_json(const RankScoresOptions& o, double score) {
  return {{"score", score}, {"share", o.share}, {"learned_from", source_json(o.learn)}};
}

void scores(const RankScoresOptions& o) {
  if (o.learn.empty()) refuse_given(*o.command, "--without-right", "with --learn-none");
  const JsonOutput output(o.json);
  std::vector<Ranking> rows;
  std::vector<ScoredList> lists = retrieve::read_scores(o.data);
  std::optional<double> none;
  if (!o.learn.empty()) {
    none = retrieve::learn_none(retrieve::read_scores(o.learn), o.share, o.common->seed);
    lists = with_none(o, std::move(lists), *none);
  }
  const bool several = std::any_of(lists.begin(), lists.end(),
                                   [](const ScoredList& list) { return list.right.size() > 1; });
  rows.push_back(measure_ranking(o.data, lists, o.common->seed));
  const size_t count = lists.size();
  rows.push_back(chance_ranking(std::move(lists), o.common->seed));
  if (!output.to_stdout()) print_text(rankings_table(rows, several, results_width()));
  if (!output.wanted()) return;
  output.write(o, {{"inputs",
                    {{"scores", source_json(o.data)},
                     {"none", none ? none_json(o, *none) : Json()},
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
      "independent. --out of `heed rank baseline` and `heed rank test` writes such a file.\n"
      "Examples:\n"
      "  heed rank scores my-scores.jsonl --json numbers.json\n"
      "  heed rank scores test-scores.jsonl --learn-none valid-scores.jsonl --without-right 0.2",
      {.device = false, .seed = "Seed of the intervals, and of the lists of --without-right"},
      scores);
  c.add_option("file", o.data, "The scores, JSON Lines, plain or gzip")->required();
  c.add_option(
       "--learn-none", o.learn,
       "Take the right candidates out of some lists, where then none is right (subtask 4 of "
       "DSTC7): \"none\" is one more candidate of every list, and has the score with which "
       "R@1 is highest in the lists of this file, of the validation part")
      ->option_text("FILE");
  option(c, "--without-right", o.share, "Share of the lists whose right candidates are taken out",
         number(0, 1));
  add_json(c, o.json);
}

}  // namespace heed
