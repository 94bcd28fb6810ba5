// `heed judge ties`: how often people find two responses equally good, and what samples of them
// show.
#include <algorithm>
#include <cstdio>
#include <map>

#include "base/error.h"
#include "dialog/people/ties.h"
#include "dialog/text/format.h"
#include "experiments/engine/stats/agreement.h"
#include "heed/checks.h"
#include "heed/commands.h"
#include "heed/judge.h"
#include "heed/provenance.h"
#include "heed/results.h"
#include "heed/shared_options.h"
#include "heed/text_table.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using people::Judgement;
using people::Key;

struct Options {
  CommonPtr common;
  JudgementFlags flags{.judgements = {}, .key = {}, .rules = {.failures = 3}};
  int64_t samples = 50000, size = 200;
  std::string json;
};

// A round: the pairs that were judged in it, or those of them whose responses differ.
struct Round {
  int number = 1;
  bool all = true;
  std::vector<int64_t> chosen = {0, 0, 0};  // the first run, the second one, tie
  std::optional<Estimate> share = {};       // of ties, with an interval over pairs
  people::TieSamples samples = {};

  int64_t pairs() const { return chosen[0] + chosen[1] + chosen[2]; }
};

void sample(Round& round, const Options& o) {
  if (o.size > round.pairs()) {
    throw DataError(o.flags.judgements + ": round " + std::to_string(round.number) + " has " +
                    std::to_string(round.pairs()) + (round.all ? "" : " different") +
                    " pairs, fewer than --size " + std::to_string(o.size));
  }
  round.samples = people::sample_ties(round.pairs(), round.chosen[people::kTie], o.size, o.samples,
                                      o.common->seed);
  Quotient ties;
  for (int choice = people::kA; choice <= people::kTie; ++choice) {
    const auto n = static_cast<size_t>(round.chosen[static_cast<size_t>(choice)]);
    ties.top.insert(ties.top.end(), n, choice == people::kTie);
  }
  ties.bottom.assign(ties.top.size(), 1);
  round.share = estimate(bootstrap({ties}, o.common->seed)[0]);
}

// Which run was chosen, wherever its response stood.
int run_of(const Judgement& j, const Key& key) {
  if (j.choice == people::kTie || !key.items[j.item].swapped) return j.choice;
  return j.choice == people::kA ? people::kB : people::kA;
}

// Every round with all its pairs, and where some are identical once more without these.
std::vector<Round> rounds_of(const std::vector<Judgement>& judgements, const Key& key,
                             const Options& o) {
  std::map<std::pair<int, bool>, Round> rounds;
  const bool some_identical = std::any_of(key.items.begin(), key.items.end(),
                                          [](const auto& item) { return item.identical; });
  for (const Judgement& j : judgements) {
    for (const bool all : {true, false}) {
      if (!all && (!some_identical || key.items[j.item].identical)) continue;
      Round& round =
          rounds.try_emplace({j.round, !all}, Round{.number = j.round, .all = all}).first->second;
      ++round.chosen[static_cast<size_t>(run_of(j, key))];
    }
  }
  std::vector<Round> result;
  for (auto& [id, round] : rounds) {
    sample(round, o);
    result.push_back(std::move(round));
  }
  return result;
}

// Of all rounds together: the judgements of a pair.
Agreement agreement_of(const std::vector<Judgement>& judgements, const Key& key, uint64_t seed) {
  RatingCounts counts(key.items.size(), std::vector<int64_t>(3));
  for (const Judgement& j : judgements) ++counts[j.item][static_cast<size_t>(run_of(j, key))];
  std::erase(counts, std::vector<int64_t>(3));
  return fleiss_pi(counts, seed);
}

// ---- output

Json to_json(const Round& r) {
  const people::TieSamples& s = r.samples;
  return {{"round", r.number},
          {"pairs_with", r.all ? "all" : "different responses"},
          {"pairs", r.pairs()},
          {"a", r.chosen[people::kA]},
          {"b", r.chosen[people::kB]},
          {"ties", r.chosen[people::kTie]},
          {"share", to_json(r.share)},
          {"samples",
           {{"mean", s.mean},
            {"deviation", s.deviation},
            {"expected_deviation", s.expected_deviation},
            {"low", s.low},
            {"high", s.high},
            {"half_or_more", s.half_or_more},
            {"histogram", s.histogram}}}};
}

void print(const std::vector<Round>& rounds, const Options& o) {
  std::vector<std::vector<std::string>> table = {{"round"},         {"pairs"},       {"ties"},
                                                 {"share of ties"}, {"mean"},        {"deviation"},
                                                 {"95 %"},          {"half or more"}};
  for (const Round& r : rounds) {
    const people::TieSamples& s = r.samples;
    const std::string cells[] = {std::to_string(r.number) + (r.all ? "" : ", different"),
                                 std::to_string(r.pairs()),
                                 std::to_string(r.chosen[people::kTie]),
                                 interval_text(r.share, 3),
                                 decimal(s.mean, 3),
                                 decimal(s.deviation, 4),
                                 decimal(s.low, 3) + " to " + decimal(s.high, 3),
                                 decimal(100 * s.half_or_more, 2) + " %"};
    for (size_t i = 0; i < table.size(); ++i) table[i].push_back(cells[i]);
  }
  std::fputs(text_table(std::move(table), results_width()).c_str(), stdout);
  std::printf(
      "From \"mean\" on: %ld samples of %ld pairs without replacement. That their shares lie "
      "within\n"
      "some deviations of the share of all pairs is what drawing them does, whatever was judged.\n",
      static_cast<long>(o.samples), static_cast<long>(o.size));
}

void run(const Options& o) {
  JsonOutput output(o.json);
  Key key;
  if (!o.flags.key.empty()) key = people::read_key(o.flags.key, people::Task::kPairs);
  const people::Judgements judgements =
      o.flags.key.empty()
          ? people::read_judgements_alone(o.flags.judgements, people::Task::kPairs, key)
          : people::read_judgements(o.flags.judgements, people::Task::kPairs, key);
  const people::Screened screened = people::screen(judgements, key, o.flags.rules);
  require_some(screened, o.flags.judgements);
  const std::vector<Round> rounds = rounds_of(screened.list, key, o);
  const Agreement agreement = agreement_of(screened.list, key, o.common->seed);
  if (!output.to_stdout()) {
    print(rounds, o);
    std::printf("Fleiss' pi of the judgements of a pair: %s, over %ld pairs\n",
                interval_text(agreement.pi, 3).c_str(), static_cast<long>(agreement.items));
    say(screened);
  }
  if (!output.wanted()) return;
  Json json = {{"heed", provenance("judge ties", *o.common)},
               {"inputs",
                {{"judgements", source_json(o.flags.judgements)},
                 {"key", o.flags.key.empty() ? Json() : source_json(o.flags.key)},
                 {"failures", o.flags.rules.failures},
                 {"samples", o.samples},
                 {"size", o.size},
                 {"seed", o.common->seed}}},
               {"screening", screening_json(screened)},
               {"pi", to_json(agreement)},
               {"rounds", Json::array()}};
  for (const Round& round : rounds) json["rounds"].push_back(to_json(round));
  output.write(json);
}

}  // namespace

void add_judge_ties(CLI::App& judge) {
  auto o = std::make_shared<Options>();
  CLI::App* c = judge.add_subcommand(
      "ties", "How often people find two responses equally good, and what samples of that show");
  c->footer(
      "A judgement is {\"item\": ..., \"annotator\": ..., \"round\": 1, \"choice\": \"a\", \"b\" "
      "or "
      "\"tie\"}; a round has one judgement of a pair. The key says which responses are the same "
      "text (\"identical\": true) and which pairs are test questions (\"check\": true, "
      "\"expected\": \"a\").\n"
      "Example:\n"
      "  heed judge ties --judgements judgements.jsonl --key key.jsonl --samples 50000 --size 200");
  o->common = add_common(*c, {.device = false, .seed = "Seed of the samples and intervals"});
  o->flags.declare(*c);
  add_key(*c, o->flags.key, "pairs that are identical, and test questions");
  c->add_option("--samples", o->samples, "Samples of pairs, of each round")
      ->check(whole_number(1, 1000000))
      ->capture_default_str();
  c->add_option("--size", o->size, "Pairs in a sample")
      ->check(whole_number(1, 100000))
      ->capture_default_str();
  c->add_option("--failures", o->flags.rules.failures,
                "Wrong answers to test questions with which an annotator is dropped; 0: never")
      ->check(whole_number(0, 1000000))
      ->capture_default_str();
  add_json(*c, o->json);
  c->callback([o] { run(*o); });
}

}  // namespace heed
