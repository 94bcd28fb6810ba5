#include "dialog/respond/mediation.h"
#include "dialog/text/format.h"
#include "experiments/engine/report/figures.h"
#include "experiments/engine/report/page.h"
#include "experiments/engine/report/variant_tables.h"
#include "experiments/measure/exchanges.h"
#include "experiments/mediation/mediation.h"
#include "experiments/mediation/place_maps.h"
#include "experiments/responders.h"

namespace heed::mediation {
namespace {

constexpr char kReport[] =
#include "mediation_report.inc"
    ;

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

MeasuredRuns measured() {
  MeasuredRuns m{
      .clusters = "conversations",
      .values = {"best_epoch", "epochs", "responses.clean.bleu", "responses.distracted.bleu",
                 "responses.clean.distinct_2", "responses.distracted.distinct_2"},
      .same = {"tokens"},
      .measures = {{.key = "perplexity",
                    .top = "nll",
                    .bottom = "tokens",
                    .exponential = true,
                    .later = true},
                   {.key = "responses.share_changed",
                    .top = "responses.changed",
                    .bottom = "responses.all",
                    .later = true}},
      .comparison = {{}, baseline_of}};
  for (const Exchanged which : {Exchanged::kQuery, Exchanged::kHistory}) {
    const std::string harm = exchange_key(which, "harm"), look = exchange_key(which, "look");
    m.measures.push_back({.key = harm, .top = harm + "s", .bottom = "tokens", .later = true});
    m.measures.push_back(mean_of(look));
    m.measures.back().later = true;
  }
  add_place_measures(m.measures);
  for (const std::string set : kSets) {
    m.measures.push_back(
        {key(set, "das_ratio"), key(set, "as_distractions"), key(set, "as_histories")});
    for (const std::string& harm : harms()) {
      m.measures.push_back({harm_key(set, harm), key(set, "harms." + harm), "tokens"});
    }
  }
  return m;
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
  static const Showing<> kShowing = [] {
    Showing<> s = described(kReport, variant_names(), measured());
    s.facts = [](const Findings& f) { return facts_of_responders(f.results); };
    s.sections = kSections;
    return s;
  }();
  return kShowing;
}

}  // namespace heed::mediation
