// heed rank scores: the numbers of a ranking from scores in a file.
#include <algorithm>
#include <memory>

#include "dialog/retrieve/score_file.h"
#include "dialog/text/format.h"
#include "heed/commands.h"
#include "heed/provenance.h"
#include "heed/rankings.h"
#include "heed/results.h"
#include "heed/shared_options.h"
#include "train/run_directory.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
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
  if (!output.to_stdout()) print_rankings(rows, several);
  if (!output.wanted()) return;
  output.write({{"heed", provenance("rank scores", *o.common)},
                {"inputs",
                 {{"scores", {{"path", o.data}, {"fingerprint", file_checksum(o.data)}}},
                  {"seed", o.common->seed}}},
                {"lists", {{"lists", count}}},
                {"scorers", rankings_json(rows)}});
}

}  // namespace

void add_rank_scores(CLI::App& rank) {
  auto o = std::make_shared<Options>();
  CLI::App* c = rank.add_subcommand("scores", "The same numbers of scores in a file");
  c->footer(
      "A line is {\"right\": [0], \"scores\": [0.5, 0.25]}: the places of the right candidates, "
      "from 0, and a score of each candidate; lists may have different lengths. Optional are "
      "\"id\" and \"conversation\", a number: lists of one conversation are not independent. --out "
      "of `heed rank baseline` writes such a file.\n"
      "Example:\n"
      "  heed rank scores my-scores.jsonl --json numbers.json");
  o->common = add_common(*c, {.device = false, .seed = "Seed of the intervals"});
  c->add_option("file", o->data, "The scores, JSON Lines, plain or gzip")->required();
  add_json(*c, o->json);
  c->callback([o] { scores(*o); });
}

}  // namespace heed
