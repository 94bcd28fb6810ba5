#include "experiments/probes/page.h"

#include <algorithm>
#include <set>

#include "dialog/text/format.h"
#include "experiments/engine/figures.h"
#include "experiments/engine/page.h"
#include "experiments/probes/attention.h"
#include "experiments/probes/claims.h"

namespace heed {
namespace {

// What the page is put together from.
struct Contents {
  const ProbesResults& results;
  const Inference& inference;
  const std::vector<Table>& tables;
};

std::vector<PageFact> facts(const ProbesResults& r) {
  std::vector<double> scores;
  for (const RunResult& run : r.runs) {
    for (const std::string& task : r.tasks) {
      const auto f1 = run.numbers.value(score_key("best", r.readings[0], task));
      if (f1) scores.push_back(100 * *f1);
    }
  }
  return {{"trainings", std::to_string(r.runs.size()),
           std::to_string(r.variants.size()) + " models, seeds: " + std::to_string(r.seeds())},
          {"tasks", std::to_string(r.tasks.size()), r.setting("tasks")},
          {"training examples", r.setting("train_examples"),
           "at most " + r.setting("epochs") + " epochs"},
          {"probes trained on", r.setting("probe_train_examples"), "examples"},
          {"test examples", std::to_string(r.items()),
           "of " + r.clusters_text("dialogues")},
          {"F1", range_text(scores, 1), "best epochs, all tasks, " + r.readings[0]},
          {"computed in", time_spent(r), "all workers together"}};
}

std::string with_table(const Contents& c, const std::string& id, bool intervals = false) {
  return with_note(table_of(c.tables, id), intervals);
}

// The tables whose id begins so, in their order.
std::string with_tables(const Contents& c, const std::string& prefix, bool intervals = false) {
  std::string html;
  for (const Table& table : c.tables) {
    if (!table.id.starts_with(prefix)) continue;
    html += "<h3>" + table.title + "</h3>\n" + with_note(table, intervals);
  }
  return html;
}

bool has_tables(const Contents& c, const std::string& prefix) {
  return std::any_of(c.tables.begin(), c.tables.end(),
                     [&](const Table& table) { return table.id.starts_with(prefix); });
}

// What folders of older versions lack.
std::string not_measured(const std::string& what) {
  return note_html(what +
                   ": not measured yet. The command that made these runs, heed reproduce "
                   "probes, adds it; nothing is trained again.");
}

const SectionRow<Contents> kSections[] = {
    {"claims", "Does the paper hold here?",
     [](const Contents& c) {
       return note_html(kProbeClaimsNote) + claims_html(check_probe_claims(c.results));
     }},
    {"doubts", "The printed numbers read closely",
     [](const Contents& c) { return with_table(c, "doubts"); }},
    {"scores", "What can be read off each encoder",
     [](const Contents& c) {
       std::string html;
       for (const std::string& reading : c.results.readings) {
         const Table& table = table_of(c.tables, reading);
         html += "<h3>" + table.title + "</h3>\n" + with_note(table, true);
       }
       return html;
     }},
    {"epochs", "Figures 5 to 7: F1 by epoch",
     [](const Contents& c) {
       std::string html;
       for (const std::string& reading : c.results.readings) {
         html += "<h3>" + reading_title(reading) + "</h3>\n" + epochs_figure(c.results, reading);
       }
       return note_html("Epoch 0 is the untrained model. Means over seeds.") + html;
     }},
    {"changes", "Is a model better than the Transformer?",
     [](const Contents& c) {
       return with_tables(c, "changes-", true) + note_html("* and bold: corrected p < 0.05.");
     }},
    {"selectivity", "Meaning or memory?",
     [](const Contents& c) { return with_table(c, "selectivity"); }},
    {"attention", "Do models that look less at distractions know more?",
     [](const Contents& c) {
       if (!has_tables(c, "das")) return not_measured("Where models look");
       std::string html = note_html(correlations_note(c.results)) + attention_figure(c.results) +
                          with_table(c, "das");
       for (const std::string& reading : c.results.readings) {
         html += "<h3>" + reading_title(reading) + "</h3>\n" +
                 table_html(table_of(c.tables, "das-" + reading), true);
       }
       return html;
     }},
    {"components", "Figures 2 and 4: the first two principal components",
     [](const Contents& c) {
       const std::string figure = components_figure(c.results);
       return figure.empty() ? not_measured("Principal components") : figure;
     }},
    {"paper", "Beside the paper's numbers",
     [](const Contents& c) { return with_tables(c, "paper") + with_tables(c, "chosen"); }},
    {"trainings", "The trainings", [](const Contents& c) { return with_table(c, "runs"); }},
    {"sources", "Where every number is from",
     [](const Contents& c) {
       return note_html(
                  "All numbers are computed from evaluation.json of each run, and from "
                  "data/probe-tasks.json of heed for the paper; where a table has several epochs a "
                  "row, CHECKPOINT stands for untrained, last and best.") +
              sources_html(c.tables);
     }},
    {"settings", "Settings", [](const Contents& c) { return settings_html(c.results); }}};

constexpr char kLead[] =
    "Dialogue models are trained in the ordinary way and frozen. Then simple classifiers, the "
    "<strong>probes</strong>, read facts of the conversation off the vector that each encoder "
    "makes of the context. An experiment of Parthasarathi, Pineau &amp; Chandar (2020), done again "
    "with heed, with what a careful reader asks for beside it.";
constexpr char kFooter[] =
    "Written by <code>heed report</code>. Parthasarathi, Pineau &amp; Chandar, <cite>How To "
    "Evaluate Your Dialogue System: Probe Tasks as an Alternative for Token-level Evaluation "
    "Metrics</cite>, 2020.";

}  // namespace

std::string render_probes_page(const ProbesResults& results, const Inference& inference,
                               const std::vector<Table>& tables) {
  const Contents contents{results, inference, tables};
  return render({.title = "What do dialogue encoders know?",
                 .lead = kLead,
                 .facts = facts(results),
                 .warning = unfinished_or_mixed(results, "models"),
                 .sections = sections_of(kSections, contents),
                 .footer = kFooter});
}

}  // namespace heed
