#include "experiments/probes/report.h"

#include <algorithm>

#include "dialog/text/format.h"
#include "experiments/probes/experiment.h"

namespace heed {
namespace {

using Found = ProbesFound;

std::vector<PageFact> facts(const Found& found) {
  const ProbesResults& r = found.results;
  std::vector<double> scores;
  for (const RunResult& run : r.runs) {
    for (const std::string& task : r.tasks) {
      const auto f1 = run.numbers.value(score_key("best", r.readings[0], task));
      if (f1) scores.push_back(100 * *f1);
    }
  }
  return {{"tasks", std::to_string(r.tasks.size()), r.setting("tasks")},
          {"training examples", r.setting("train_examples"), r.epochs_text()},
          {"probes trained on", r.setting("probe_train_examples"), "examples"},
          {"test examples", std::to_string(r.items()), "of " + r.clusters_text("dialogues")},
          {"F1", range_text(scores, 1), "best epochs, all tasks, " + r.readings[0]}};
}

// What folders of older versions lack.
std::string not_measured(const std::string& what) {
  return note_html(what +
                   ": not measured yet. The command that made these runs, heed reproduce "
                   "probes, adds it; nothing is trained again.");
}

const std::vector<Section<Found>> kSections = {
    {"doubts", "The printed numbers read closely", shows("doubts")},
    {"scores", "What can be read off each encoder",
     [](const Found& c, const PageTables& tables) {
       std::string html;
       for (const std::string& reading : c.results.readings) {
         const Table& table = table_of(tables.all(), reading);
         html += "<h3>" + table.title + "</h3>\n" + with_note(table, true);
       }
       return html;
     }},
    {"epochs", "Figures 5 to 7: F1 by epoch",
     [](const Found& c, const PageTables&) {
       std::string html;
       for (const std::string& reading : c.results.readings) {
         html += "<h3>" + reading_title(reading) + "</h3>\n" + epochs_figure(c.results, reading);
       }
       return note_html("Epoch 0 is the untrained model. Means over seeds.") + html;
     }},
    {"changes", "Is a model better than the Transformer?",
     [](const Found&, const PageTables& tables) {
       return tables.of("changes-", true) + note_html("* and bold: corrected p < 0.05.");
     }},
    {"selectivity", "Meaning or memory?", shows("selectivity")},
    {"attention", "Do models that look less at distractions know more?",
     [](const Found& c, const PageTables& tables) {
       if (!tables.has("das")) {
         const std::vector<RunResult>& runs = c.results.runs;
         const bool measured = std::any_of(runs.begin(), runs.end(), [](const RunResult& run) {
           return run.numbers.has("attention.attends");
         });
         return measured ? note_html("None of these models has attention.")
                         : not_measured("Where models look");
       }
       std::string html = note_html(correlations_note(c.results)) + attention_figure(c.results) +
                          tables.html("das");
       for (const std::string& reading : c.results.readings) {
         html += "<h3>" + reading_title(reading) + "</h3>\n" +
                 table_html(table_of(tables.all(), "das-" + reading), true);
       }
       return html;
     }},
    {"components", "Figures 2 and 4: the first two principal components",
     [](const Found& c, const PageTables&) {
       const std::string figure = components_figure(c.results);
       return figure.empty() ? not_measured("Principal components") : figure;
     }},
    {"paper", "Beside the paper's numbers", [](const Found&, const PageTables& tables) {
       return tables.of("paper") + tables.of("chosen");
     }}};

}  // namespace

const Showing<ProbesFound>& probes_showing() {
  static const Showing<Found> kShowing = {
      .title = "What do dialogue encoders know?",
      .lead =
          "Dialogue models are trained in the ordinary way and frozen. Then simple classifiers, "
          "the <strong>probes</strong>, read facts of the conversation off the vector that each "
          "encoder makes of the context. An experiment of Parthasarathi, Pineau &amp; Chandar "
          "(2020), done again with heed, with what a careful reader asks for beside it.",
      .footer =
          "Written by <code>heed report</code>. Parthasarathi, Pineau &amp; Chandar, <cite>How To "
          "Evaluate Your Dialogue System: Probe Tasks as an Alternative for Token-level Evaluation "
          "Metrics</cite>, 2020.",
      .variants_are = "models",
      .groups_are = "models",
      .rows_are = "model",
      .claims_note =
          "Each as a rule that is computed, for our numbers and for the paper's own. A claim about "
          "a corpus is computed with the tasks of the same names here; the figure says how many "
          "there are.",
      .sources_note =
          "All numbers are computed from evaluation.json of each run, and from "
          "data/probe-tasks.json of heed for the paper; where a table has several epochs a row, "
          "CHECKPOINT stands for untrained, last and best.",
      .load = load_probes,
      .tables = [](const Found& f) { return probe_tables(f.results, f.inference); },
      .claims = [](const Found& f) { return check_probe_claims(f.results); },
      .facts = facts,
      .sections = kSections};
  return kShowing;
}

}  // namespace heed
