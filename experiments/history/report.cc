#include "dialog/text/format.h"
#include "experiments/engine/report/figures.h"
#include "experiments/engine/report/variant_tables.h"
#include "experiments/engine/runs/folder_json.h"
#include "experiments/history/history.h"

namespace heed::history {
namespace {

constexpr char kReport[] =
#include "history_report.inc"
    ;

std::string rise_of(const std::string& set) {
  return "sets." + set + ".rise";
}
std::string recall_of(const std::string& set) {
  return "turns.recall." + set;
}
std::string das_of(const std::string& set) {
  return "turns.das." + set + ".";
}
Findings load(const std::string& folder, ResultsLayout layout) {
  read_kind(folder, layout.kind, [&](const nlohmann::ordered_json& json) {
    layout.variants =
        variants_of(json.at("settings").at("systems").get<std::vector<std::string>>());
  });
  MeasuredRuns measured{
      .clusters = "conversations",
      .values = {"best_epoch", "epochs", "mrr"},
      .measures = {{.key = "perplexity", .top = "losses", .bottom = "counts", .exponential = true},
                   {.key = "das_ratio", .top = "as_distractions", .bottom = "as_histories"}}};
  std::vector<Measure>& measures = measured.measures;
  const auto add = [&](const std::string& name) {
    measures.push_back({.key = name + ".rise", .top = name + ".rises", .bottom = "counts"});
  };
  for (const auto* list : {&cuts(), &shuffled_cuts(), &perturbations()}) {
    for (const std::string& set : *list) add("sets." + set);
  }
  for (const Contrast& c : kContrasts) add("contrasts." + std::string(c.name));
  for (const std::string& set : cuts()) {
    const std::string das = das_of(set);
    measures.push_back({.key = das + "das_ratio",
                        .top = das + "as_distractions",
                        .bottom = das + "as_histories",
                        .some = true});
  }
  for (const auto* list : {&cuts(), &shuffled_cuts()}) {
    for (const std::string& set : *list) {
      measures.push_back(mean_of(recall_of(set)));
      measures.back().some = true;
    }
  }
  return load_findings(folder, layout, measured);
}

// ---- the page

// `below`: how far the panel goes on below the lowest value.
PanelAxes axes_by_turns(double low, double high, double below = 0) {
  PanelAxes axes{.x_low = 0.5, .x_high = kMostTurns + 0.5, .y_low = low - below, .y_high = high};
  for (int n = 1; n <= kMostTurns; ++n) axes.x_ticks.push_back({n, std::to_string(n)});
  for (int k = 0; k <= 4; ++k) axes.y_ticks.push_back(low + (high - low) * k / 4);
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
  return panels_html(axes_by_turns(low, high, (high - low) / 20), panels,
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
  static const Showing<> kShowing = [] {
    Showing<> s = described(kReport, {}, {});
    s.load = load;
    s.sections.insert(s.sections.begin(),
                      {"figure", "How many turns?",
                       draws("Rise of the loss against whole contexts, and DAS ratio of models "
                             "with attention, with 95 % intervals.",
                             figure)});
    return s;
  }();
  return kShowing;
}

}  // namespace heed::history
