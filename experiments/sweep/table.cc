#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
#include "base/json.h"
#include "experiments/engine/report/variant_tables.h"
#include "experiments/sweep/sweep.h"
#include "train/run_json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* kBits = "test_sets.none.bits_per_character";

// "point12": older versions called points with long names by their places.
bool has_old_name(const std::string& point) {
  return point.starts_with("point") && point.size() > 5 &&
         point.find_first_not_of("0123456789", 5) == point.npos;
}

// The points that have a finished run, by the names of the runs: POINT-seedN; one that is there
// under its old and under its new name once.
std::vector<VariantName> finished_points(const std::string& folder) {
  std::map<std::string, std::string> names;  // and the settings
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string run = entry.path().filename().string();
    const std::string point = run.substr(0, run.rfind("-seed"));
    const std::string file = (entry.path() / "evaluation.json").string();
    if (!find_run({point}, run) || !fs::exists(file)) continue;
    names[point] = with_json(file, [](const nlohmann::json& json) {
      return json.value("settings", nlohmann::json()).dump();
    });
  }
  std::set<std::string> settings;
  for (const auto& [name, its] : names) {
    if (!has_old_name(name)) settings.insert(its);
  }
  std::vector<VariantName> points;
  for (const auto& [name, its] : names) {
    if (!has_old_name(name) || !settings.contains(its)) points.push_back({name, "", name});
  }
  return points;
}

// The grid and the tests, from the files of the runs.
void read_runs(SweepFound& found) {
  std::map<std::string, std::set<std::string>> values;
  std::vector<std::string> options;  // in their order
  for (const RunResult& run : found.results.runs) {
    const std::string path = (fs::path(found.results.folder) / source_of(run)).string();
    try {
      const Json json = Json::parse(read_file(path, 1 << 26));
      for (const auto& [option, value] : json.at("settings").items()) {
        if (!values.contains(option)) options.push_back(option);
        values[option].insert(value.get<std::string>());
        found.compares_tokens |= option == "tokens";
      }
      found.best = json.value("best_by", "valid_perplexity");
      if (!found.tests.empty()) continue;
      for (const auto& [set, numbers] : json.at("test_sets").items()) found.tests.push_back(set);
    } catch (const Json::exception& e) {
      throw damaged(path, e.what());
    }
  }
  std::copy_if(options.begin(), options.end(), std::back_inserter(found.options),
               [&](const std::string& option) { return values[option].size() > 1; });
}

SweepFound load(const std::string& folder, ResultsLayout layout) {
  layout.variants = finished_points(folder);
  layout.values = {"best_epoch", "epochs", "valid_perplexity", "parameters"};
  SweepFound found;
  found.results = load_results(folder, layout);
  read_runs(found);
  return found;
}

// The options that have several values, then the numbers.
std::vector<Column> columns(const SweepFound& found) {
  using Best = Column::Best;
  std::vector<Column> columns;
  for (const std::string& option : found.options)
    columns.push_back({"", option, "settings." + option});
  columns.push_back({"", "valid. perplexity", "valid_perplexity", 2, false, Best::kLowest});
  for (const std::string& set : found.tests) {
    const bool original = set == "none";
    columns.push_back({"", original ? "test perplexity" : "DAS ratio, " + set, sweep_key(set),
                       original ? 2 : 3, false, Best::kLowest});
    if (original && found.compares_tokens) {
      columns.push_back({"", "test bits per character", kBits, 3, false, Best::kLowest});
    }
  }
  columns.push_back({"", "best epoch", "best_epoch", 1});
  columns.push_back({"", "million parameters", "parameters", 3});
  return columns;
}

Cell cell_of(const Results& results, size_t variant, const Column& column) {
  const Numbers& first = results.of(variant).front()->numbers;
  if (first.has_text(column.key)) return {.text = first.text(column.key)};
  Cell cell = cell_over_seeds(results, variant, column.key);
  if (column.key == "parameters" && cell.value) cell = {.value = *cell.value / 1e6};
  return cell;
}

}  // namespace

Table sweep_table(const SweepFound& found) {
  const Results& results = found.results;
  Table table{.id = "sweep",
              .title = "The sweep, the best first",
              .note =
                  "Mean, and standard deviation, over the seeds of a point that are finished. "
                  "Sorted by " +
                  found.best + ".",
              .rows_are = "runs",
              .groups_are = "seeds",
              .columns = columns(found)};
  std::vector<std::pair<double, Row>> sorted;
  for (size_t v = 0; v < results.variants.size(); ++v) {
    Row row = variant_row(results, v);
    row.group = std::to_string(row.sources.size());
    for (const Column& column : table.columns) row.cells.push_back(cell_of(results, v, column));
    sorted.emplace_back(cell_over_seeds(results, v, found.best).value.value_or(INFINITY),
                        std::move(row));
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [best, row] : sorted) table.rows.push_back(std::move(row));
  return table;
}

const Showing<SweepFound>& sweep_showing() {
  static const Showing<SweepFound> kShowing = {
      .title = "Which settings are best?",
      .lead = "Response models, trained with every combination of some settings.",
      .footer = "Written by <code>heed report</code>.",
      .variants_are = "combinations",
      .sources_note = "All numbers are computed from evaluation.json of each run.",
      .load = load,
      .tables =
          [](const SweepFound& found) {
            return std::vector<Table>{
                sweep_table(found),
                trainings_table(found.results, "valid_perplexity", "perplexity")};
          },
      .claims = [](const SweepFound&) { return Claims(); },
      .sections = {{"sweep", "The combinations, the best first", shows("sweep")}}};
  return kShowing;
}

}  // namespace heed
