#include "experiments/probes/report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "dialog/text/format.h"
#include "experiments/engine/report/variant_tables.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kReport[] =
#include "probes_report.inc"
    ;

// ---- what a folder determines of the description

// How many dialogues of valid the epochs of chosen.json were chosen by; empty where there are none.
std::string chosen_by(const Results& results) {
  for (const RunResult& run : results.runs) {
    if (const auto number = run.numbers.value(kChosenBy)) return decimal(*number, 0);
  }
  return "";
}

// Those of the paper's tables that the folder has numbers of.
void add_paper_tables(const Results& results, const std::string& dialogues, Json& values) {
  const std::vector<std::string> tasks = measured_tasks(results);
  for (const PaperTable& table : probe_paper().tables) {
    const auto readings =
        table.by_choice() ? measured_readings(results) : readings_by(results, table.probe);
    if (readings.empty() || (table.by_choice() && dialogues.empty())) continue;
    if (std::ranges::find_first_of(table.tasks, tasks) == table.tasks.end()) continue;
    values[table.by_choice() ? "BY_CHOICE" : "BY_CHECKPOINT"].push_back(
        {{"NUMBER", std::to_string(table.number)},
         {"PROBE", table.probe},
         {"CORPUS", table.corpus},
         {"TASK", table.tasks},
         {"READING", readings}});
  }
}

Json values_of(const Results& results) {
  const std::string dialogues = chosen_by(results);
  const std::vector<std::string> readings = measured_readings(results);
  Json values = {{"EXAMPLES", of_examples(results)},
                 {"OF_THE_BEST", intervals_text(results, "dialogues", ", of the best")},
                 {"LAST", readings.back()},
                 {"RESPONSES", results.setting("responses")},
                 {"DIALOGUES", dialogues},
                 {"TASK", measured_tasks(results)},
                 {"READING", Json::array()},
                 {"SET", Json::array()},
                 {"ATTENDS", Json::array()},
                 {"CHOSEN", Json::array()},
                 {"BY_CHECKPOINT", Json::array()},
                 {"BY_CHOICE", Json::array()}};
  for (const std::string& reading : readings)
    values["READING"].push_back({{"READING", reading}, {"TITLE", reading_title(reading)}});
  for (const auto& [name, set] : kDas) values["SET"].push_back({{"SET", set}, {"NAME", name}});
  if (attending_models(results) > 0)
    values["ATTENDS"].push_back({{"INSERTED", results.setting("insert-prob")}});
  if (!dialogues.empty()) values["CHOSEN"].push_back(dialogues);
  add_paper_tables(results, dialogues, values);
  return values;
}

// ---- rows that no variant has

// A baseline over the runs of the models that are trained, or else of the encoder that is not: its
// width is that of their representations.
Row baseline_row(const Results& results, const std::string& baseline, const std::string& reading,
                 bool trained = true) {
  Row row{.group = "baselines", .label = baseline, .reference = true};
  for (const std::string& task : measured_tasks(results)) {
    std::vector<double> values;
    for (const RunResult& run : results.runs) {
      if (results.variants[run.run.variant].trained != trained) continue;
      const auto value = run.numbers.value(baseline_key(baseline, reading, task));
      if (value) values.push_back(*value);
    }
    const auto mean = spread(values);
    row.cells.push_back({.value = mean ? std::optional(mean->mean) : std::nullopt});
  }
  for (const RunResult& run : results.runs) {
    if (results.variants[run.run.variant].trained == trained) row.sources.push_back(source_of(run));
  }
  return row;
}

// Behind the models: the layers of an encoder that others trained, and what every encoder is to be
// compared with.
void add_references(const Findings& found, const std::string& reading, Table& table) {
  const Results& results = found.results;
  for (size_t v = probed_structures().size(); v < results.variants.size(); ++v) {
    if (results.of(v).empty()) continue;
    Row& row = table.rows.emplace_back(variant_row(results, v));
    for (const std::string& task : measured_tasks(results)) {
      const std::string key = score_key("best", reading, task);
      row.cells.push_back(cell_over_seeds(results, v, key));
      if (const auto& e = found.inference.value(key, v)) row.cells.back().interval = e->interval;
    }
  }
  for (const char* baseline : kBaselines) {
    table.rows.push_back(baseline_row(results, baseline, reading));
  }
  const VariantName& last = results.variants.back();
  if (last.trained) return;
  table.note += " " + last.group +
                ": an encoder that others trained, as it is; each vector the mean of a layer's "
                "states, of the length 1.";
  table.rows.push_back(baseline_row(results, "bag-of-words", reading, /*trained=*/false));
  table.rows.back().label += ", as wide as " + last.group;
}

// Behind what is described: references, and parameters in millions.
std::vector<Table> with_references(std::vector<Table> tables, const Findings& found) {
  const std::vector<std::string> readings = measured_readings(found.results);
  for (Table& table : tables) {
    if (std::ranges::find(readings, table.id) != readings.end())
      add_references(found, table.id, table);
    if (table.id != "paper4") continue;
    for (Row& row : table.rows) {
      const auto parameters = row.cells.back().value;
      row.cells.back() = {.value = parameters ? std::optional(*parameters / 1e6) : std::nullopt};
    }
  }
  return tables;
}

// The rules for the paper's numbers, and for ours by each reading with logistic regression.
Claims claims(const Findings& found) {
  std::vector<ClaimNumbers> kinds;
  for (const std::string& reading : readings_by(found.results, "logistic")) {
    kinds.push_back({reading, claim_numbers(found.results, reading)});
  }
  return check_claims(probe_claim_rules(), probe_paper().numbers, kinds);
}

// ---- the page

std::vector<PageFact> facts(const Findings& found) {
  const Results& r = found.results;
  const std::vector<std::string> tasks = measured_tasks(r);
  const std::string reading = measured_readings(r).front();
  std::vector<double> scores;
  for (const RunResult& run : r.runs) {
    for (const std::string& task : tasks) {
      const auto f1 = run.numbers.value(score_key("best", reading, task));
      if (f1) scores.push_back(100 * *f1);
    }
  }
  return {{"tasks", std::to_string(tasks.size()), r.setting("tasks")},
          {"training examples", r.setting("train_examples"), r.epochs_text()},
          {"probes trained on", r.setting("probe_train_examples"), "examples"},
          {"test examples", std::to_string(r.items()), "of " + r.clusters_text("dialogues")},
          {"F1", range_text(scores, 1), "best epochs, all tasks, " + reading}};
}

// What folders of older versions lack.
std::string not_measured(const std::string& what) {
  return note_html(what +
                   ": not measured yet. The command that made these runs, heed reproduce "
                   "probes, adds it; nothing is trained again.");
}

std::string scores_html(const Findings& found, const PageTables& tables) {
  std::string html;
  for (const std::string& reading : measured_readings(found.results)) {
    const Table& table = table_of(tables.all(), reading);
    html += "<h3>" + table.title + "</h3>\n" + with_note(table, true);
  }
  return html;
}

std::string epochs_html(const Findings& found) {
  std::string html;
  for (const std::string& reading : measured_readings(found.results)) {
    html += "<h3>" + reading_title(reading) + "</h3>\n" + epochs_figure(found.results, reading);
  }
  return html;
}

std::string attention_html(const Findings& found, const PageTables& tables) {
  const Results& r = found.results;
  if (!tables.has("das")) {
    const bool measured = std::ranges::any_of(
        r.runs, [](const RunResult& run) { return run.numbers.has("attention.attends"); });
    return measured ? note_html("None of these models has attention.")
                    : not_measured("Where models look");
  }
  std::string html = note_html(correlations_note(r)) + attention_figure(r) + tables.html("das");
  for (const std::string& reading : measured_readings(r)) {
    html += "<h3>" + reading_title(reading) + "</h3>\n" +
            table_html(table_of(tables.all(), "das-" + reading), true);
  }
  return html;
}

const std::vector<Section<Findings>> kSections = {
    {"doubts", "The printed numbers read closely", shows("doubts")},
    {"scores", "What can be read off each encoder", scores_html},
    {"epochs", "Figures 5 to 7: F1 by epoch",
     draws("Epoch 0 is the untrained model. Means over seeds.", epochs_html)},
    {"changes", "Is a model better than the Transformer?",
     [](const Findings&, const PageTables& tables) {
       return tables.of("changes-", true) + note_html("* and bold: corrected p < 0.05.");
     }},
    {"selectivity", "Meaning or memory?", shows("selectivity")},
    {"attention", "Do models that look less at distractions know more?", attention_html},
    {"components", "Figures 2 and 4: the first two principal components",
     [](const Findings& found, const PageTables&) {
       const std::string figure = components_figure(found.results);
       return figure.empty() ? not_measured("Principal components") : figure;
     }},
    {"paper", "Beside the paper's numbers", [](const Findings&, const PageTables& tables) {
       return tables.of("paper") + tables.of("chosen");
     }}};

}  // namespace

std::string of_examples(const Results& results) {
  return std::to_string(results.items()) + " test examples of " +
         std::to_string(results.cluster_count()) + " dialogues, " +
         counted(results.seeds(), "seed") + ". ";
}

std::string reading_title(const std::string& reading) {
  if (reading == "mlp") return "MLP, raw representations";
  return "logistic regression, " + reading + " representations";
}

const std::vector<ClaimRule>& probe_claim_rules() {
  static const auto kRules = described_rules(kReport, probe_claim_checks());
  return kRules;
}

Showing<> probes_showing(const Results& results) {
  Json report = Json::parse(kReport);
  report["values"].update(values_of(results));
  const auto doubts = [](const Findings& f) { return std::vector{doubts_table(f.results)}; };
  const auto difficulty = [](const Findings& f) {
    return std::vector{difficulty_table(f.results)};
  };
  const auto correlations = [](const Findings& f) { return correlation_tables(f.results); };
  Showing<> s =
      described(report.dump(), results.variants, {}, {probe_paper().numbers, kPaperFile},
                {{"doubts", doubts}, {"difficulty", difficulty}, {"correlations", correlations}});
  s.tables = [described = s.tables](const Findings& f) { return with_references(described(f), f); };
  s.claims = claims;
  s.facts = facts;
  s.sections = kSections;
  return s;
}

}  // namespace heed
