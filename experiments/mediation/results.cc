#include "dialog/respond/mediation.h"
#include "dialog/text/format.h"
#include "experiments/engine/report/figures.h"
#include "experiments/engine/report/page.h"
#include "experiments/engine/report/variant_tables.h"
#include "experiments/measure/exchanges.h"
#include "experiments/mediation/mediation.h"
#include "experiments/mediation/place_tables.h"
#include "experiments/responders.h"

namespace heed::mediation {
namespace {

struct ConditionName {
  const char *name, *label;
};
// In the order of Condition.
constexpr ConditionName kConditions[] = {{"none", "as the data are"},
                                         {"insertion", "insertion"},
                                         {"insertion-loss", "insertion and the loss"},
                                         {"placebo", "the loss on own utterances"}};

// The harm that is left if ...
constexpr ConditionName kHarms[] = {{"as it is", "all of it"},
                                    {"unseen", "attention does not see them"},
                                    {"unread", "the state has not read them"},
                                    {"both", "both"}};

std::string key(const std::string& set, const std::string& number) {
  return "test_sets." + set + "." + number;
}

std::string harm_key(const std::string& set, const std::string& reading) {
  return key(set, "harm." + reading);
}

// "exchange.query.harm"
std::string exchange_key(Exchanged which, const std::string& number) {
  return "exchange." + std::string(name_of(which)) + "." + number;
}

const std::string kFirst = kSets[0];

// All variants that were measured.
std::vector<std::string> harms() {
  std::vector<std::string> names = {kUnreadLessUnseen};
  for (const ConditionName& harm : kHarms) names.emplace_back(harm.name);
  return names;
}

std::string structure_of(size_t variant) {
  return std::string(variants()[variant].structure.name);
}

std::string of_dialogues(const Results& r) {
  return counted(r.items(), "test dialogue") + ", " + counted(r.seeds(), "seed") + "; " +
         intervals_text(r, "conversations");
}

Table set_table(const Findings& found, const std::string& set) {
  Table table{.id = set.substr(0, set.find(':')) + "-" + set.substr(set.find(':') + 1),
              .title = "Harm of the distractions of " + set,
              .note = of_dialogues(found.results) +
                      "Thousandths that distractions add to the log-perplexity: all of it, and "
                      "what is left where the attention does not see them, where the decoder "
                      "starts with a state that has not read them, and with both.",
              .columns = {{"", "DAS ratio", key(set, "das_ratio"), 2}},
              .intervals = true};
  for (const ConditionName& harm : kHarms) {
    table.columns.push_back({.group = "harm",
                             .name = harm.label,
                             .key = harm_key(set, harm.name),
                             .digits = 1,
                             .sign = true});
  }
  return of_variants(table, found);
}

Table training_changes(const Findings& found) {
  Table table{.id = "changes",
              .title = "What the trainings change",
              .note = of_dialogues(found.results) +
                      "Insertion and placebo are compared with the training on the data as they "
                      "are, insertion with the loss is compared with insertion alone. " +
                      p_values_text(found.inference)};
  for (const char* set : kSets) {
    table.columns.push_back(
        {set, "DAS ratio", key(set, "das_ratio"), 2, false, Column::Best::kLowest, true});
    table.columns.push_back(
        {set, "harm", harm_key(set, "as it is"), 1, false, Column::Best::kLowest, true});
  }
  add_changes(table, found.results, found.inference);
  return table;
}

Table responses_table(const Findings& found) {
  return of_variants({.id = "responses",
                      .title = "Responses that the models write",
                      .note = of_dialogues(found.results) +
                              "Greedy, to the test dialogues without and with the distractions of "
                              "random:1.0; changed: the share whose words differ.",
                      .columns = {{"without", "perplexity", "perplexity", 1},
                                  {"without", "BLEU", "responses.clean.bleu", 2, true},
                                  {"with", "BLEU", "responses.distracted.bleu", 2, true},
                                  {"without", "distinct-2", "responses.clean.distinct_2", 3},
                                  {"with", "distinct-2", "responses.distracted.distinct_2", 3},
                                  {"with", "changed %", "responses.share_changed", 1, true}}},
                     found);
}

Table exchange_table(const Findings& found) {
  Table table{
      .id = "exchange",
      .title = "What an exchanged utterance does",
      .note = of_dialogues(found.results) +
              "Thousandths that are added to the log-perplexity where the last utterance "
              "(query), or one before it (history), is exchanged for one of another "
              "dialogue; and the attention score that it had. The first needs no attention.",
      .intervals = true};
  for (const Exchanged which : {Exchanged::kQuery, Exchanged::kHistory}) {
    table.columns.push_back({.group = "added",
                             .name = name_of(which),
                             .key = exchange_key(which, "harm"),
                             .digits = 1,
                             .sign = true});
  }
  for (const Exchanged which : {Exchanged::kQuery, Exchanged::kHistory}) {
    table.columns.push_back({"AS", name_of(which), exchange_key(which, "look"), 2});
  }
  return of_variants(table, found);
}

// ---- claims

// A verdict over the structures that have been trained: each must agree.
ClaimResult over_structures(const VariantNumbers& numbers, Condition condition,
                            const std::function<ClaimResult(size_t variant)>& decide) {
  const auto name_of = [&](size_t v) {
    const bool counts = variants()[v].condition == condition && numbers.get(v, "perplexity");
    return counts ? structure_of(v) : std::string();
  };
  return agreed(variants().size(), name_of, decide);
}

std::vector<ClaimRule> claim_rules(const Inference& inference) {
  const auto change_of = [&inference](Condition condition, const std::string& key, int digits) {
    return [&inference, condition, key, digits](const VariantNumbers& numbers) {
      return over_structures(numbers, condition,
                             [&](size_t v) { return is_below(inference.change(key, v), digits); });
    };
  };
  const auto through_state = [&inference](const VariantNumbers& numbers) {
    return over_structures(numbers, Condition::kNone, [&](size_t v) {
      return is_below(inference.value(harm_key(kFirst, kUnreadLessUnseen), v), 1);
    });
  };
  const std::string harm = harm_key(kFirst, "as it is"), das = key(kFirst, "das_ratio");
  using enum Condition;
  return {
      {"Training with insertion alone lowers the harm.",
       "The harm is lower than without them in training.", change_of(kInsertion, harm, 1)},
      {"The attention loss lowers the harm further.",
       "The harm is lower than with insertion alone.", change_of(kInsertionLoss, harm, 1)},
      {"Training with insertion alone lowers the DAS ratio.",
       "It is lower than without distractions in training.", change_of(kInsertion, das, 3)},
      {"The attention loss lowers the DAS ratio.", "It is lower than with insertion alone.",
       change_of(kInsertionLoss, das, 3)},
      {"The loss on other utterances lowers the harm too (placebo).",
       "The harm is lower than without distractions in training.", change_of(kPlacebo, harm, 1)},
      {"The harm goes through the state more than through the attention.",
       "Without distractions in training: the harm that is left where the state has not read "
       "them is below the one that is left where the attention does not see them.",
       through_state}};
}

Findings load(const std::string& folder) {
  ResultsLayout layout{
      .kind = kKind,
      .format = kFormat,
      .variants = variant_names(),
      .made_by = "heed reproduce mediation",
      .additions = {"exchange.json", "places.json"},
      .clusters = "conversations",
      .values = {"best_epoch", "epochs", "responses.clean.bleu", "responses.distracted.bleu",
                 "responses.clean.distinct_2", "responses.distracted.distinct_2"},
      .same = {"tokens"}};
  std::vector<Measure> measures = {
      {.key = "perplexity", .top = "nll", .bottom = "tokens", .exponential = true, .later = true},
      {.key = "responses.share_changed",
       .top = "responses.changed",
       .bottom = "responses.all",
       .later = true}};
  for (const Exchanged which : {Exchanged::kQuery, Exchanged::kHistory}) {
    const std::string harm = exchange_key(which, "harm"), look = exchange_key(which, "look");
    measures.push_back({.key = harm, .top = harm + "s", .bottom = "tokens", .later = true});
    measures.push_back({.key = look,
                        .top = look + "_items",
                        .bottom = look + "_items",
                        .mean = true,
                        .later = true});
  }
  add_place_measures(measures);
  Comparison comparison{{}, baseline_of};
  for (const std::string set : kSets) {
    measures.push_back(
        {key(set, "das_ratio"), key(set, "as_distractions"), key(set, "as_histories")});
    for (const std::string& harm : harms()) {
      measures.push_back({harm_key(set, harm), key(set, "harms." + harm), "tokens"});
    }
    comparison.keys.insert(comparison.keys.end(),
                           {key(set, "das_ratio"), harm_key(set, kHarms[0].name)});
  }
  return load_findings(folder, layout, measures, comparison);
}

std::vector<Table> tables(const Findings& f) {
  std::vector<Table> all;
  for (const char* set : kSets) all.push_back(set_table(f, set));
  all.push_back(training_changes(f));
  all.push_back(exchange_table(f));
  for (Table& table : place_tables(f, of_dialogues(f.results))) all.push_back(std::move(table));
  all.push_back(responses_table(f));
  all.push_back(trainings_table(f.results, "valid_perplexity", "perplexity"));
  return all;
}

// ---- the page

constexpr size_t kBars = 3;  // of kHarms: bars have three colours

std::string harm_figure(const Findings& found) {
  std::vector<BarSeries> series;
  for (size_t h = 0; h < kBars; ++h) {
    series.push_back({"bar" + std::to_string(h), kHarms[h].label});
  }
  std::string html;
  for (size_t first = 0; first < variants().size(); first += std::size(kConditions)) {
    std::vector<BarGroup> groups;
    for (size_t c = 0; c < std::size(kConditions); ++c) {
      BarGroup group{kConditions[c].label, {}};
      for (size_t h = 0; h < kBars; ++h) {
        const auto& e = found.inference.value(harm_key(kFirst, kHarms[h].name), first + c);
        Bar bar;
        if (e) bar = {.value = e->value, .interval = e->interval, .title = decimal(e->value, 1)};
        group.bars.push_back(bar);
      }
      if (!found.results.of(first + c).empty()) groups.push_back(std::move(group));
    }
    if (groups.empty()) continue;
    html += bars_html(structure_of(first),
                      "Thousandths added to the log-perplexity by the distractions of random:1.0",
                      10, series, groups);
  }
  return html;
}

const std::vector<Section<Findings>> kSections = {
    {"figure", "Which way the harm goes",
     draws("Test set random:1.0, with 95 % intervals.", harm_figure)},
    {"harm", "Every test set",
     [](const Findings&, const PageTables& tables) {
       std::string html;
       for (size_t s = 0; s < std::size(kSets); ++s) html += tables.of(tables.all()[s].id, true);
       return html;
     }},
    {"changes", "Is it more than chance?", shows("changes", true)},
    {"exchange", "What an exchanged utterance does", shows("exchange", true)},
    {"places", "A placebo for the DAS ratio",
     [](const Findings& f, const PageTables& tables) {
       return tables.of("places-attention", true) + tables.of("places-harm", true) + place_maps(f);
     }},
    {"responses", "Responses that the models write", shows("responses")}};

constexpr char kLead[] =
    "A distraction raises the log-perplexity of the response. It can do so through the "
    "<strong>attention</strong>, which mixes its row into the context vector, or through the "
    "<strong>state</strong> of the encoder, with which the decoder starts. One model reads each "
    "dialogue five times, so that the two can be told apart; and it is trained in four ways, so "
    "that one sees what insertion, the attention loss and a placebo of it change.";

}  // namespace

const std::vector<Variant>& variants() {
  static const std::vector<Variant> kVariants = [] {
    std::vector<Variant> all;
    for (const char* structure : {"static-ui", "static", "dynamic", "non-hier"}) {
      for (size_t c = 0; c < std::size(kConditions); ++c) {
        all.push_back({Structure::parse(structure), static_cast<Condition>(c)});
      }
    }
    return all;
  }();
  return kVariants;
}

const std::vector<VariantName>& variant_names() {
  static const std::vector<VariantName> kNames = [] {
    std::vector<VariantName> names;
    for (const Variant& v : variants()) {
      const ConditionName& condition = kConditions[static_cast<size_t>(v.condition)];
      const std::string structure(v.structure.name);
      names.push_back({structure + "-" + condition.name, structure, condition.label});
    }
    return names;
  }();
  return kNames;
}

std::optional<size_t> baseline_of(size_t variant) {
  switch (variants()[variant].condition) {
    case Condition::kNone: return std::nullopt;
    case Condition::kInsertion:
    case Condition::kInsertionLoss: return variant - 1;
    case Condition::kPlacebo: return variant - 3;
  }
  return std::nullopt;
}

const Showing<>& showing() {
  static const Showing<> kShowing = {
      .title = "Which way do distractions do their harm?",
      .lead = kLead,
      .footer = "Written by <code>heed report</code>.",
      .groups_are = "structure",
      .rows_are = "trained with",
      .claims_title = "What does training with distractions change?",
      .claims_note = kClaimsNote,
      .sources_note = "All numbers are computed from evaluation.json of each run.",
      .load = load,
      .tables = tables,
      .claims =
          [](const Findings& f) {
            return check_claims(claim_rules(f.inference), {},
                                {{"intervals", mean_numbers(f.results)}});
          },
      .facts = [](const Findings& f) { return facts_of_responders(f.results); },
      .sections = kSections};
  return kShowing;
}

}  // namespace heed::mediation
