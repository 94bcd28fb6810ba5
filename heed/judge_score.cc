// `heed judge score`: how well people tell real responses from others, and how much they agree.
#include "experiments/measure/measure_json.h"
#include "heed/command.h"
#include "heed/judge.h"

namespace heed {
namespace {

using people::Key;

struct JudgeScoreOptions : CommandOptions {
  JudgementFlags flags{
      .judgements = {}, .key = {}, .rules = {.pass = 0.9, .least = 10, .most = 150}};
  std::string predictions, json;
};

void run(const JudgeScoreOptions& o) {
  JsonOutput output(o.json);
  const Key key = people::read_key(o.flags.key, people::Task::kRealOrFake);
  const people::Judgements judgements =
      people::read_judgements(o.flags.judgements, people::Task::kRealOrFake, key);
  const std::vector<double> p_real =
      o.predictions.empty() ? std::vector<double>() : people::read_predictions(o.predictions, key);
  const people::Screened screened = people::screen(judgements, key, o.flags.rules);
  require_some(screened, o.flags.judgements);
  const Votes votes = votes_of(key, screened.list);
  const RealOrFake numbers = judge_items(key, votes, p_real, o.common->seed);
  if (key.simulated) note("these judgements are simulated; no person made them");
  if (!output.to_stdout()) {
    print_text(text_of(numbers, results_width()));
    say(screened);
  }
  if (!output.wanted()) return;
  Json json = {{"inputs",
                {{"judgements", source_json(o.flags.judgements)},
                 {"key", source_json(o.flags.key)},
                 {"predictions", o.predictions.empty() ? Json() : source_json(o.predictions)},
                 {"pass", o.flags.rules.pass},
                 {"least", o.flags.rules.least},
                 {"most", o.flags.rules.most},
                 {"seed", o.common->seed}}},
               {"simulated", key.simulated},
               {"screening", to_json(screened)},
               {"items", votes.items.size()}};
  json.update(to_json(numbers));
  output.write(o, json);
}

}  // namespace

void add_judge_score(CLI::App& judge) {
  const auto [c, o] = declare<JudgeScoreOptions>(
      judge, "score",
      "Measure how well people tell real responses from others, and how much "
      "they agree",
      "A judgement is {\"item\": ..., \"annotator\": ..., \"choice\": \"real\" or "
      "\"fake\"}, a line of the key {\"item\": ..., \"real\": true or false}; "
      "\"check\": true marks a test question. Scores count single judgements, and "
      "majorities per item; intervals are 95 %, by a bootstrap over items.\n"
      "Example:\n  heed judge score --judgements judgements.jsonl --key key.jsonl "
      "--json scores.json",
      {.device = false, .seed = "Seed of the intervals"}, run);
  o.flags.declare(c);
  add_key(c, o.flags.key, "which items are real")->required();
  c.add_option("--predictions", o.predictions,
               "A classifier's predictions for the same items, to compare it with people; lines "
               "{\"item\": ..., \"p_real\": ...} (or \"id\" if there is no \"item\")");
  option(c, "--pass", o.flags.rules.pass,
         "Share of test questions that annotators must answer correctly; otherwise all their "
         "judgements are dropped",
         number(0, 1));
  option(c, "--least", o.flags.rules.least,
         "Minimum number of judgements per annotator, not counting test questions",
         whole_number(0, 1000000));
  option(c, "--most", o.flags.rules.most, "Use only the first N judgements of an annotator; 0: all",
         whole_number(0, 1000000));
  add_json(c, o.json);
}

}  // namespace heed
