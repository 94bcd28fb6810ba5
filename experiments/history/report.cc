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
std::string recall_of(const std::string& set) {
  return "turns.recall." + set;
}
std::string das_of(const std::string& set) {
  return "turns.das." + set + ".";
}
std::string contrast(const std::string& name) {
  return "contrasts." + name + ".rise";
}

Findings load(const std::string& folder) {
  std::vector<std::string> systems;
  read_kind(folder, kKind, [&](const nlohmann::json& json) {
    systems = json.at("settings").at("systems").get<std::vector<std::string>>();
  });
  ResultsLayout layout{.kind = kKind,
                       .variants = variants_of(systems),
                       .made_by = "heed reproduce history",
                       .additions = {"turns.json"},
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
  for (const std::string& set : cuts()) {
    const std::string das = das_of(set);
    measures.push_back(
        {.key = das + "das_ratio", .top = das + "as_distractions", .bottom = das + "as_histories"});
  }
  for (const auto* list : {&cuts(), &shuffled_cuts()}) {
    for (const std::string& set : *list) {
      const std::string items = recall_of(set) + "_items";
      measures.push_back({.key = recall_of(set), .top = items, .bottom = items, .mean = true});
    }
  }
  Results results = load_results(folder, layout);
  Inference inference(results, measures);
  return {std::move(results), std::move(inference)};
}

// ---- tables

std::string note(const Results& results) {
  return counted(results.items(), "test response") + ", " + counted(results.seeds(), "seed") +
         "; " + intervals_text(results, "conversations");
}

Table rises(const Findings& found, const std::string& id, const std::string& title,
            const std::string& what, const std::vector<std::string>& sets) {
  Table table{.id = id,
              .title = title,
              .note = note(found.results) + what +
                      " Rise of the loss: in nats a token of the response; of a ranker that of 1 - "
                      "MRR among 100.",
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

// The rows that have a number.
Table of_some(Table table, const Findings& found) {
  add_variants(table, found.results, found.inference);
  std::erase_if(table.rows, [](const Row& row) {
    return std::none_of(row.cells.begin(), row.cells.end(),
                        [](const Cell& cell) { return cell.value.has_value(); });
  });
  return table;
}

Table das_by_turns(const Findings& found) {
  Table table{.id = "das",
              .title = "The DAS ratio by the number of turns",
              .note = note(found.results) +
                      "Two distractions of random:1.0 are inserted among the last N utterances.",
              .columns = {},
              .rows = {},
              .intervals = true};
  for (size_t n = 1; n < cuts().size(); ++n) {
    table.columns.push_back({"DAS ratio", cuts()[n], das_of(cuts()[n]) + "das_ratio", 2});
  }
  return of_some(table, found);
}

Table recalls(const Findings& found) {
  Table table{.id = "recall",
              .title = "Rankers: how often is the right one first?",
              .note = note(found.results) +
                      "R@1 of 100 in percent, of the last N utterances, in their order and with "
                      "the history in another one.",
              .columns = {},
              .rows = {},
              .intervals = true};
  for (const auto* list : {&cuts(), &shuffled_cuts()}) {
    for (const std::string& set : *list) {
      table.columns.push_back({"R@1 %", set, recall_of(set), 1, true});
    }
  }
  return of_some(table, found);
}

std::vector<Table> tables(const Findings& found) {
  Table systems{
      .id = "systems",
      .title = "The systems on whole contexts",
      .note = note(found.results) +
              "Perplexity of a token of the response; of rankers MRR among 100; DAS ratio of "
              "random:1.0, of models with attention.",
      .columns = {{"", "perplexity", "perplexity", 1},
                  {"", "DAS ratio", "das_ratio", 2},
                  {"", "MRR %", "mrr", 1, true}},
      .rows = {},
      .intervals = true};
  add_variants(systems, found.results, found.inference);
  std::vector<Table> all = {
      systems,
      rises(found, "turns", "Only the last turns", "The last N utterances are read.", cuts()),
      rises(found, "shuffled", "The last turns, their history in another order",
            "The query stays last.", shuffled_cuts()),
      rises(found, "perturbed", "Whole contexts, perturbed",
            "Of turns and words that are dropped, 30 %. Where a context is longer than a "
            "system reads, another order of all turns also changes which ones it reads.",
            perturbations())};
  for (Table& table : std::vector<Table>{das_by_turns(found), recalls(found)}) {
    if (!table.rows.empty()) all.push_back(std::move(table));
  }
  all.push_back(trainings_table(found.results, "valid_perplexity", "perplexity"));
  return all;
}

// ---- claims

using Decided = std::function<ClaimResult(size_t variant)>;

// A verdict over all systems: each must agree.
ClaimRule over_systems(const Findings& found, const std::string& claim, const std::string& rule,
                       const Decided& decide) {
  return {claim, rule, [&found, decide](const VariantNumbers& numbers) {
            const auto name_of = [&](size_t v) {
              return numbers.get(v, rise_of("turns:1")) ? found.results.variants[v].label : "";
            };
            return agreed(found.results.variants.size(), name_of, decide);
          }};
}

Claims claims(const Findings& found) {
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

PanelAxes axes_by_turns(double low, double high) {
  PanelAxes axes{.x_low = 0.5, .x_high = kMostTurns + 0.5, .y_low = low, .y_high = high};
  for (int n = 1; n <= kMostTurns; ++n) axes.x_ticks.push_back({n, std::to_string(n)});
  axes.y_digits = 2;
  return axes;
}

// "turns:4-shuffled": 4
double turns_of(const std::string& set) {
  return std::strtod(set.c_str() + 6, nullptr);
}

// A panel a system: the rise with the last N turns, in their order and shuffled.
std::string rise_figure(const Findings& found) {
  std::vector<Panel> panels;
  double low = 0, high = 0.01;
  for (size_t v = 0; v < found.results.variants.size(); ++v) {
    Panel panel{found.results.variants[v].label, "rise of the loss by the number of turns"};
    int mark = 0;
    for (const auto* sets : {&cuts(), &shuffled_cuts()}) {
      PlotLine line{"c" + std::to_string(mark), mark == 0 ? "solid" : "dash", mark};
      ++mark;
      for (const std::string& set : *sets) {
        const auto& e = found.inference.value(rise_of(set), v);
        if (!e) continue;
        low = std::min(low, e->interval.low);
        high = std::max(high, e->interval.high);
        line.points.push_back(
            {turns_of(set), e->value, set + ": " + decimal(e->value, 3), e->interval});
      }
      panel.lines.push_back(std::move(line));
    }
    if (!found.results.of(v).empty()) panels.push_back(std::move(panel));
  }
  PanelAxes axes = axes_by_turns(low - (high - low) / 20, high);
  for (int k = 0; k <= 4; ++k) axes.y_ticks.push_back(low + (high - low) * k / 4);
  return panels_html(axes, panels,
                     {{0, "c0", "solid", "the last turns"}, {1, "c1", "dash", "history shuffled"}});
}

// Under each the DAS ratio of a model with attention.
std::string das_figure(const Findings& found) {
  std::vector<Panel> panels;
  std::vector<double> values;
  for (size_t v = 0; v < found.results.variants.size(); ++v) {
    PlotLine line{"c2", "solid", 2};
    for (const std::string& set : cuts()) {
      const auto& e = found.inference.value(das_of(set) + "das_ratio", v);
      if (!e) continue;
      values.insert(values.end(), {e->interval.low, e->interval.high});
      line.points.push_back(
          {turns_of(set), e->value, set + ": " + decimal(e->value, 2), e->interval});
    }
    if (line.points.empty()) continue;
    panels.push_back(
        {found.results.variants[v].label, "DAS ratio by the number of turns", {std::move(line)}});
  }
  if (panels.empty()) return "";
  const auto [low, high] = range_around_one(values);
  PanelAxes axes = axes_by_turns(low, high);
  for (int k = 0; k <= 4; ++k) axes.y_ticks.push_back(low + (high - low) * k / 4);
  axes.line_at_one = true;
  return panels_html(axes, panels, {{2, "c2", "solid", "DAS ratio of random:1.0"}});
}

std::string figure(const Findings& found) {
  return rise_figure(found) + das_figure(found);
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

const Showing<>& showing() {
  constexpr char kNone[] =
      "No run has these numbers. The same heed reproduce adds them to runs of older versions.";
  static const Showing<> kShowing = {
      .title = "What is the history worth?",
      .lead =
          "Models that read a conversation need not use it. Here each reads contexts that are "
          "cut to their last turns, shuffled, reversed, or lose turns or words, and its "
          "<strong>loss</strong> says what was in them for it.",
      .footer = "Written by <code>heed report</code>.",
      .variants_are = "systems",
      .groups_are = "trained",
      .rows_are = "system",
      .claims_title = "What of it is of use?",
      .claims_note =
          "Yes where the 95 % interval says so of every system, no where it says the "
          "contrary of every one, undecided in between.",
      .sources_note = "All numbers are computed from evaluation.json of each run.",
      .load = load,
      .tables = tables,
      .claims = claims,
      .sections = {
          {"figure", "How many turns?",
           draws("Rise of the loss against whole contexts, and DAS ratio of models with "
                 "attention, with 95 % intervals.",
                 figure)},
          {"systems", "The systems", shows("systems", true)},
          {"turns", "Only the last turns", shows("turns", true)},
          {"shuffled", "Their history shuffled", shows("shuffled", true)},
          {"perturbed", "Whole contexts, perturbed", shows("perturbed", true)},
          {"das", "The DAS ratio by the number of turns", shows("das", true, kNone)},
          {"recall", "Rankers: how often is the right one first?", shows("recall", true, kNone)}}};
  return kShowing;
}

}  // namespace heed::history
