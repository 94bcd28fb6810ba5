// `heed judge ties`: how often people find two responses equally good, and how much samples of
// pairs vary.

#include "experiments/measure/measure_json.h"
#include "heed/command.h"
#include "heed/judge.h"

namespace heed {
namespace {

using people::Key;

struct JudgeTiesOptions : CommandOptions {
  JudgementFlags flags{.judgements = {}, .key = {}, .rules = {.failures = 3}};
  int64_t samples = 50000, size = 200;
  std::string json;
};

void run(const JudgeTiesOptions& o) {
  JsonOutput output(o.json);
  Key key;
  if (!o.flags.key.empty()) key = people::read_key(o.flags.key, people::Task::kPairs);
  const people::Judgements judgements =
      o.flags.key.empty()
          ? people::read_judgements_alone(o.flags.judgements, people::Task::kPairs, key)
          : people::read_judgements(o.flags.judgements, people::Task::kPairs, key);
  const people::Screened screened = people::screen(judgements, key, o.flags.rules);
  require_some(screened, o.flags.judgements);
  const std::vector<TieRound> rounds = tie_rounds(
      screened.list, key,
      {.source = o.flags.judgements, .samples = o.samples, .size = o.size, .seed = o.common->seed});
  const Agreement agreement = tie_agreement(screened.list, key, o.common->seed);
  if (!output.to_stdout()) {
    print_text(tie_table(rounds, results_width()));
    print_text(
        "From \"mean\" on: " + counted(o.samples, "sample") + " of " + counted(o.size, "pair") +
        " without replacement. The shares in samples lie within\n"
        "a few deviations of the share in all pairs because of the drawing, whatever was "
        "judged.\nFleiss' pi of the judgements per pair: " +
        interval_text(agreement.pi, 3) + ", over " + counted(agreement.items, "pair") + "\n");
    say(screened);
  }
  if (!output.wanted()) return;
  Json json = {{"inputs",
                {{"judgements", source_json(o.flags.judgements)},
                 {"key", o.flags.key.empty() ? Json() : source_json(o.flags.key)},
                 {"failures", o.flags.rules.failures},
                 {"samples", o.samples},
                 {"size", o.size},
                 {"seed", o.common->seed}}},
               {"screening", to_json(screened)},
               {"pi", to_json(agreement)},
               {"rounds", Json::array()}};
  for (const TieRound& round : rounds) json["rounds"].push_back(to_json(round));
  output.write(o, json);
}

}  // namespace

void add_judge_ties(CLI::App& judge) {
  const auto [c, o] = declare<JudgeTiesOptions>(
      judge, "ties",
      "Measure how often people find two responses equally good, in all pairs and in samples",
      "A judgement is {\"item\": ..., \"annotator\": ..., \"round\": 1, \"choice\": \"a\", \"b\" "
      "or \"tie\"}; a round has one judgement per pair. The key says which responses are the same "
      "text (\"identical\": true) and which pairs are test questions (\"check\": true, "
      "\"expected\": \"a\").\n"
      "Example:\n"
      "  heed judge ties --judgements judgements.jsonl --key key.jsonl --samples 50000 --size 200",
      {.device = false, .seed = "Seed of the samples and intervals"}, run);
  o.flags.declare(c);
  add_key(c, o.flags.key, "pairs that are identical, and test questions");
  option(c, "--samples", o.samples, "Number of samples of pairs in each round",
         whole_number(1, 1000000));
  option(c, "--size", o.size, "Number of pairs in a sample", whole_number(1, 100000));
  option(c, "--failures", o.flags.rules.failures,
         "Drop an annotator with this many wrong answers to test questions; 0: never",
         whole_number(0, 1000000));
  add_json(c, o.json);
}

}  // namespace heed
