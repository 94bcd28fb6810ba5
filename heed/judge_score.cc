// `heed judge score`: how well people tell real responses from others, and how far they agree.
#include <algorithm>
#include <cstdio>
#include <optional>

#include "dialog/discriminate/confusion.h"
#include "dialog/text/format.h"
#include "experiments/engine/stats/agreement.h"
#include "experiments/engine/stats/auc.h"
#include "heed/checks.h"
#include "heed/commands.h"
#include "heed/judge.h"
#include "heed/judged_rows.h"
#include "heed/messages.h"
#include "heed/provenance.h"
#include "heed/results.h"
#include "heed/shared_options.h"
#include "heed/text_table.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using discriminate::Confusion;
using people::Key;

struct Options {
  CommonPtr common;
  JudgementFlags flags{
      .judgements = {}, .key = {}, .rules = {.pass = 0.9, .least = 10, .most = 150}};
  std::string predictions, json;
};

// ---- who judges

// The items that have judgements, and what these are: n_real and n_fake of each.
struct Votes {
  std::vector<size_t> items;  // places in the key
  RatingCounts counts;
};

Votes votes_of(const Key& key, const std::vector<people::Judgement>& judgements) {
  std::vector<std::vector<int64_t>> all(key.items.size(), std::vector<int64_t>(2));
  for (const people::Judgement& j : judgements) ++all[j.item][static_cast<size_t>(j.choice)];
  Votes votes;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i][0] + all[i][1] == 0) continue;
    votes.items.push_back(i);
    votes.counts.push_back(all[i]);
  }
  return votes;
}

// Single judgements.
JudgedRow people_of(const Key& key, const Votes& votes) {
  JudgedRow row{.name = "judgements"};
  for (size_t i = 0; i < votes.items.size(); ++i) {
    const int64_t as_real = votes.counts[i][people::kReal],
                  as_fake = votes.counts[i][people::kFake];
    const bool real = key.items[votes.items[i]].truth == people::kReal;
    row.items.push_back(real ? Confusion{.real_as_real = as_real, .real_as_fake = as_fake}
                             : Confusion{.fake_as_real = as_real, .fake_as_fake = as_fake});
  }
  return row;
}

// One choice for each item; where there is none, as in a tie, an item without counts.
using Choices = std::vector<std::optional<bool>>;  // judged real?

JudgedRow row_of(const std::string& name, const Key& key, const Votes& votes,
                 const Choices& choices) {
  JudgedRow row{.name = name, .items = std::vector<Confusion>(votes.items.size())};
  for (size_t i = 0; i < choices.size(); ++i) {
    const bool real = key.items[votes.items[i]].truth == people::kReal;
    if (choices[i]) row.items[i].add(real, *choices[i]);
  }
  return row;
}

Choices majority_of(const Votes& votes) {
  Choices choices;
  for (const auto& n : votes.counts) {
    choices.push_back(n[0] == n[1] ? std::nullopt
                                   : std::optional(n[people::kReal] > n[people::kFake]));
  }
  return choices;
}

// ---- the numbers

struct Numbers {
  std::vector<JudgedRow> rows;  // judgements, majority, classifier
  Agreement people;
  int64_t undecided = 0;  // items whose judgements are even
  // Of a classifier and the majority, where there are predictions.
  std::optional<Agreement> with_majority = {};
  std::optional<RankSum> ranks = {};  // of p_real; nothing where one class is missing
  std::optional<Estimate> auc = {};   // over items; nothing with fewer than two of a class
  int64_t only_people = 0, only_classifier = 0;
};

void add_classifier(Numbers& numbers, const Key& key, const Votes& votes,
                    const std::vector<double>& p_real, uint64_t seed) {
  Choices choices;
  ScoredItems scored;
  for (const size_t item : votes.items) {
    choices.push_back(p_real[item] >= 0.5);
    scored.add(key.items[item].truth == people::kReal, p_real[item], static_cast<int>(item));
  }
  numbers.rows.push_back(row_of("classifier", key, votes, choices));
  if (!scored.positive.empty() && !scored.negative.empty())
    numbers.ranks = rank_sum(scored.positive, scored.negative);
  numbers.auc = clustered_auc({std::move(scored)});
  const Choices majority = majority_of(votes);
  RatingCounts both;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (!majority[i]) continue;
    const int64_t real = *majority[i] + *choices[i];
    both.push_back({real, 2 - real});
    const bool truth = key.items[votes.items[i]].truth == people::kReal;
    numbers.only_people += *majority[i] == truth && *choices[i] != truth;
    numbers.only_classifier += *majority[i] != truth && *choices[i] == truth;
  }
  numbers.with_majority = fleiss_pi(both, seed);
}

Numbers numbers_of(const Key& key, const Votes& votes, const std::vector<double>& p_real,
                   uint64_t seed) {
  const Choices majority = majority_of(votes);
  Numbers numbers{.rows = {people_of(key, votes), row_of("majority", key, votes, majority)},
                  .people = fleiss_pi(votes.counts, seed),
                  .undecided = std::count(majority.begin(), majority.end(), std::nullopt)};
  if (!p_real.empty()) add_classifier(numbers, key, votes, p_real, seed);
  for (JudgedRow& row : numbers.rows) measure(row, seed);
  return numbers;
}

// ---- output

Json with_test(const JudgedRow& row) {
  Json json = to_json(row);
  json["p_against_chance"] = against_chance(row).p_value;
  return json;
}

Json to_json(const Numbers& n) {
  Json json = {{"pi", to_json(n.people)},
               {"judgements", to_json(n.rows[0])},
               {"majority", with_test(n.rows[1])}};
  json["majority"]["undecided"] = n.undecided;
  if (!n.with_majority) return json;
  json["classifier"] = with_test(n.rows[2]);
  json["classifier"]["auc"] = n.ranks ? Json(n.ranks->auc) : Json();
  json["classifier"]["auc_interval"] = interval_json(n.auc);
  json["classifier"]["p_rank_sum"] = n.ranks ? Json(n.ranks->p_value) : Json();
  json["classifier"]["with_majority"] = to_json(*n.with_majority);
  json["classifier"]["only_majority_right"] = n.only_people;
  json["classifier"]["only_classifier_right"] = n.only_classifier;
  json["classifier"]["p_mcnemar"] = mcnemar_test(n.only_people, n.only_classifier);
  return json;
}

void print(const Numbers& n) {
  std::fputs(text_table(columns_of(n.rows), results_width()).c_str(), stdout);
  std::printf("Fleiss' pi of the annotators: %s, over %ld items\n",
              interval_text(n.people.pi, 3).c_str(), static_cast<long>(n.people.items));
  std::printf("majority against chance: %s; undecided items: %ld\n",
              p_equation(against_chance(n.rows[1]).p_value).c_str(),
              static_cast<long>(n.undecided));
  if (!n.with_majority) return;
  std::printf("classifier against chance: %s; AUC %s; pi with the majority: %s\n",
              p_equation(against_chance(n.rows[2]).p_value).c_str(),
              auc_text(n.ranks, n.auc).c_str(), interval_text(n.with_majority->pi, 3).c_str());
  std::printf("right is only the majority: %ld items, only the classifier: %ld; McNemar %s\n",
              static_cast<long>(n.only_people), static_cast<long>(n.only_classifier),
              p_equation(mcnemar_test(n.only_people, n.only_classifier)).c_str());
}

void run(const Options& o) {
  JsonOutput output(o.json);
  const Key key = people::read_key(o.flags.key, people::Task::kRealOrFake);
  const people::Judgements judgements =
      people::read_judgements(o.flags.judgements, people::Task::kRealOrFake, key);
  const std::vector<double> p_real =
      o.predictions.empty() ? std::vector<double>() : people::read_predictions(o.predictions, key);
  const people::Screened screened = people::screen(judgements, key, o.flags.rules);
  require_some(screened, o.flags.judgements);
  const Votes votes = votes_of(key, screened.list);
  const Numbers numbers = numbers_of(key, votes, p_real, o.common->seed);
  if (key.simulated) note("these judgements are simulated, nobody made them");
  if (!output.to_stdout()) {
    print(numbers);
    say(screened);
  }
  if (!output.wanted()) return;
  Json json = {{"heed", provenance("judge score", *o.common)},
               {"inputs",
                {{"judgements", source_json(o.flags.judgements)},
                 {"key", source_json(o.flags.key)},
                 {"predictions", o.predictions.empty() ? Json() : source_json(o.predictions)},
                 {"pass", o.flags.rules.pass},
                 {"least", o.flags.rules.least},
                 {"most", o.flags.rules.most},
                 {"seed", o.common->seed}}},
               {"simulated", key.simulated},
               {"screening", screening_json(screened)},
               {"items", votes.items.size()}};
  json.update(to_json(numbers));
  output.write(json);
}

}  // namespace

void add_judge_score(CLI::App& judge) {
  auto o = std::make_shared<Options>();
  CLI::App* c = judge.add_subcommand(
      "score", "How well people tell real responses from others, and how far they agree");
  c->footer(
      "A judgement is {\"item\": ..., \"annotator\": ..., \"choice\": \"real\" or \"fake\"}, a "
      "line of "
      "the key {\"item\": ..., \"real\": true or false}; \"check\": true marks a test question. "
      "Scores are over single judgements and over majorities; intervals are 95 %, of a bootstrap "
      "over items.\n"
      "Example:\n"
      "  heed judge score --judgements judgements.jsonl --key key.jsonl --json scores.json");
  o->common = add_common(*c, {.device = false, .seed = "Seed of the intervals"});
  o->flags.declare(*c);
  add_key(*c, o->flags.key, "what is real");
  c->get_option("--key")->required();
  c->add_option(
       "--predictions", o->predictions,
       "What a classifier says of the same items, lines {\"item\": ..., \"p_real\": ...} (or "
       "\"id\" where there is no \"item\"), to compare it with people")
      ->option_text("FILE");
  c->add_option("--pass", o->flags.rules.pass,
                "Share of the test questions that an annotator must have right, or all his "
                "judgements are dropped")
      ->check(number(0, 1))
      ->capture_default_str();
  c->add_option("--least", o->flags.rules.least,
                "Judgements that an annotator must have made, test questions not counted")
      ->check(whole_number(0, 1000000))
      ->capture_default_str();
  c->add_option("--most", o->flags.rules.most,
                "Judgements of an annotator that are used, the first ones; 0: all")
      ->check(whole_number(0, 1000000))
      ->capture_default_str();
  add_json(*c, o->json);
  c->callback([o] { run(*o); });
}

}  // namespace heed
