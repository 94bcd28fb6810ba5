#include "dialog/text/format.h"
#include "experiments/engine/report/figures.h"
#include "experiments/engine/report/variant_tables.h"
#include "experiments/engine/runs/folder_json.h"
#include "experiments/history/history.h"

namespace heed::history {
namespace {

std::string rise_of(const std::string& set) {
  return "sets." + set + ".rise";
}
std::string contrast(const std::string& name) {
  return "contrasts." + name + ".rise";
}

Found load(const std::string& folder) {
  std::vector<std::string> systems;
  read_kind(folder, kKind, [&](const nlohmann::json& json) {
    systems = json.at("settings").at("systems").get<std::vector<std::string>>();
  });
  ResultsLayout layout{.kind = kKind,
                       .variants = variants_of(systems),
                       .made_by = "heed reproduce history",
                       .clusters = "conversations",
                       .values = {"best_epoch", "epochs", "perplexity", "das_ratio", "mrr"},
                       .items = {"losses", "counts", "as_distractions", "as_histories"}};
  std::vector<Measure> measures = {
      {.key = "perplexity", .top = "losses", .bottom = "counts", .exponential = true},
      {.key = "das_ratio", .top = "as_distractions", .bottom = "as_histories"}};
  const auto add = [&](const std::string& name) {
    layout.values.push_back(name + ".rise");
    layout.items.push_back(name + ".rises");
    measures.push_back({.key = name + ".rise", .top = name + ".rises", .bottom = "counts"});
  };
  for (const auto* list : {&cuts(), &shuffled_cuts(), &perturbations()}) {
    for (const std::string& set : *list) add("sets." + set);
  }
  for (const Contrast& c : kContrasts) add("contrasts." + std::string(c.name));
  Results results = load_results(folder, layout);
  Inference inference(results, measures);
  return {std::move(results), std::move(inference)};
}

// ---- tables

std::string note(const Results& results) {
  return counted(results.items(), "test response") + ", " + counted(results.seeds(), "seed") +
         "; " + intervals_text(results, "conversations");
}

Table rises(const Found& found, const std::string& id, const std::string& title,
            const std::string& what, const std::vector<std::string>& sets) {
  Table table{.id = id,
              .title = title,
              .note = note(found.results) + what +
                      " Rise of the loss: in nats a token of the response; of a ranker that of 1 - "
                      "MRR among 100.",
              .rows_are = "system",
              .groups_are = "trained",
              .columns = {},
              .rows = {},
              .intervals = true};
  for (const std::string& set : sets) {
    table.columns.push_back(
        {.group = "rise", .name = set, .key = rise_of(set), .digits = 3, .sign = true});
  }
  add_variants(table, found.results, found.inference);
  return table;
}

std::vector<Table> tables(const Found& found) {
  Table systems{
      .id = "systems",
      .title = "The systems on whole contexts",
      .note = note(found.results) +
              "Perplexity of a token of the response; of rankers MRR among 100; DAS ratio of "
              "random:1.0, of models with attention.",
      .rows_are = "system",
      .groups_are = "trained",
      .columns = {{"", "perplexity", "perplexity", 1},
                  {"", "DAS ratio", "das_ratio", 2},
                  {"", "MRR %", "mrr", 1, true}},
      .rows = {},
      .intervals = true};
  add_variants(systems, found.results, found.inference);
  return {systems,
          rises(found, "turns", "Only the last turns", "The last N utterances are read.", cuts()),
          rises(found, "shuffled", "The last turns, their history in another order",
                "The query stays last.", shuffled_cuts()),
          rises(found, "perturbed", "Whole contexts, perturbed",
                "Of turns and words that are dropped, 30 %. Where a context is longer than a "
                "system reads, another order of all turns also changes which ones it reads.",
                perturbations()),
          trainings_table(found.results, "perplexity", "perplexity")};
}

// ---- claims

using Decided = std::function<ClaimResult(size_t variant)>;

// A verdict over all systems: each must agree.
ClaimRule over_systems(const Found& found, const std::string& claim, const std::string& rule,
                       const Decided& decide) {
  return {claim, rule, [&found, decide](const VariantNumbers& numbers) {
            size_t yes = 0, no = 0, known = 0;
            std::string figure;
            for (size_t v = 0; v < found.results.variants.size(); ++v) {
              if (!numbers.get(v, rise_of("turns:1"))) continue;
              const ClaimResult one = decide(v);
              if (one.figure.empty()) continue;
              ++known;
              yes += one.holds == true;
              no += one.holds == false;
              figure +=
                  (figure.empty() ? "" : "; ") + found.results.variants[v].label + " " + one.figure;
            }
            if (known == 0) return ClaimResult{};
            ClaimResult result{.figure = figure};
            if (yes == known || no == known) result.holds = yes == known;
            return result;
          }};
}

Claims claims(const Found& found) {
  const auto below = [&](const std::string& key) -> Decided {
    return [&found, key](size_t v) { return is_below(found.inference.value(key, v)); };
  };
  const auto above = [&](const std::string& key) -> Decided {
    return [&found, key](size_t v) {
      ClaimResult result = is_below(found.inference.value(key, v));
      if (result.holds) result.holds = !*result.holds;
      return result;
    };
  };
  return check_claims(
      {over_systems(found, "The history is of use.",
                    "The loss rises where the query alone is read.", above(rise_of("turns:1"))),
       over_systems(found, "More than four turns are of use.",
                    "The loss rises where the last four are read.", above(rise_of("turns:4"))),
       over_systems(found, "The order of the history is of use.",
                    "The loss is higher where the last eight have their history shuffled than "
                    "where they have not.",
                    above(contrast("shuffled less cut"))),
       over_systems(found, "Order is worth less than presence.",
                    "It rises less where turns are shuffled than where the query alone is read.",
                    below(contrast("order less presence"))),
       over_systems(found, "The last turn is worth more than the first.",
                    "It rises more without the query than without the first utterance.",
                    above(contrast("last less first"))),
       over_systems(found, "The order of words is of use.",
                    "The loss rises where the words of each utterance are shuffled.",
                    above(rise_of("words-shuffled")))},
      {}, {{"intervals", mean_numbers(found.results)}});
}

// ---- the page
// One panel per system: the rise with the last N turns, in order and shuffled.

// A panel a system: the rise with the last N turns, in their order and shuffled.
std::string figure(const Found& found) {
  std::vector<Panel> panels;
  double high = 0.01;
  for (size_t v = 0; v < found.results.variants.size(); ++v) {
    Panel panel{found.results.variants[v].label, "rise of the loss by the number of turns"};
    int mark = 0;
    for (const auto* sets : {&cuts(), &shuffled_cuts()}) {
      PlotLine line{"c" + std::to_string(mark), mark == 0 ? "solid" : "dash", mark};
      ++mark;
      for (const std::string& set : *sets) {
        const auto& e = found.inference.value(rise_of(set), v);
        if (!e) continue;
        high = std::max(high, e->interval.high);
        line.points.push_back({std::strtod(set.c_str() + 6, nullptr), e->value,
                               set + ": " + decimal(e->value, 3), e->interval});
      }
      panel.lines.push_back(std::move(line));
    }
    if (!found.results.of(v).empty()) panels.push_back(std::move(panel));
  }
  PanelAxes axes{.x_low = 0.5, .x_high = kMostTurns + 0.5, .y_low = -high / 20, .y_high = high};
  for (int n = 1; n <= kMostTurns; ++n) axes.x_ticks.push_back({n, std::to_string(n)});
  for (int k = 0; k <= 4; ++k) axes.y_ticks.push_back(high * k / 4);
  axes.y_digits = 2;
  return panels_html(axes, panels,
                     {{0, "c0", "solid", "the last turns"}, {1, "c1", "dash", "history shuffled"}});
}

}  // namespace

const std::vector<std::string>& cuts() {
  static const std::vector<std::string> kAll = [] {
    std::vector<std::string> all;
    for (int n = 1; n <= kMostTurns; ++n) all.push_back("turns:" + std::to_string(n));
    return all;
  }();
  return kAll;
}

const std::vector<std::string>& shuffled_cuts() {
  static const std::vector<std::string> kAll = [] {
    std::vector<std::string> all;
    for (int n = 3; n <= kMostTurns; ++n) all.push_back("turns:" + std::to_string(n) + "-shuffled");
    return all;
  }();
  return kAll;
}

const std::vector<std::string>& perturbations() {
  static const std::vector<std::string> kAll = {
      "turns-shuffled", "turns-reversed", "turns-dropped",  "first-dropped",
      "last-dropped",   "words-shuffled", "words-reversed", "words-dropped"};
  return kAll;
}

const Showing<Found>& showing() {
  static const Showing<Found> kShowing = {
      .title = "What is the history worth?",
      .lead =
          "Models that read a conversation need not use it. Here each reads contexts that are "
          "cut to their last turns, shuffled, reversed, or lose turns or words, and its "
          "<strong>loss</strong> says what was in them for it.",
      .footer = "Written by <code>heed report</code>.",
      .variants_are = "systems",
      .claims_title = "What of it is of use?",
      .claims_note =
          "Yes where the 95 % interval says so of every system, no where it says the "
          "contrary of every one, undecided in between.",
      .sources_note = "All numbers are computed from evaluation.json of each run.",
      .load = load,
      .tables = tables,
      .claims = claims,
      .sections = {{"figure", "How many turns?",
                    draws("Rise of the loss against whole contexts, with 95 % intervals.", figure)},
                   {"systems", "The systems", shows("systems", true)},
                   {"turns", "Only the last turns", shows("turns", true)},
                   {"shuffled", "Their history shuffled", shows("shuffled", true)},
                   {"perturbed", "Whole contexts, perturbed", shows("perturbed", true)}}};
  return kShowing;
}

}  // namespace heed::history
