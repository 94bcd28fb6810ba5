#include <algorithm>
#include <optional>

#include "dialog/describe/info_json.h"
#include "heed/command.h"
#include "heed/info_text.h"
#include "train/number_json.h"
#include "train/run_log.h"

namespace heed {
namespace {

struct DiffOptions : CommandOptions {
  std::vector<std::string> runs;
  std::string json;
};

// Adds the values of an object under their paths: "schedule.rate".
void flatten(const Json& value, const std::string& path, Json& all) {
  if (!value.is_object() || value.empty()) {
    all[path] = value;
    return;
  }
  for (const auto& [key, inner] : value.items()) {
    flatten(inner, path.empty() ? key : path + "." + key, all);
  }
}

// [{"name", FIRST, SECOND}] for each value that differs; null if one of them lacks it.
Json differences(const Json& first, const Json& second, const std::vector<std::string>& names) {
  Json a = Json::object(), b = Json::object(), rows = Json::array();
  flatten(first, "", a);
  flatten(second, "", b);
  Json keys = a;
  keys.update(b);
  for (const auto& [key, ignored] : keys.items()) {
    const Json left = a.value(key, Json()), right = b.value(key, Json());
    if (left != right) rows.push_back({{"name", key}, {names[0], left}, {names[1], right}});
  }
  return rows;
}

// How a run was made, without the values that differ between any two runs.
Json made_with(const Json& info) {
  Json made = info["begun_with"];
  if (!made.is_object()) return Json::object();
  for (const char* key : {"command", "date"}) made.erase(key);
  return made;
}

// The row of the epoch that is best on the validation part, or the last row if none says so.
const std::vector<double>& best_row(const RunLog& log, const Json& info) {
  const Json& best = info["state"]["best"];
  for (const std::vector<double>& row : log.rows) {
    if (best.is_object() && row[0] == best["epoch"].get<double>()) return row;
  }
  return log.rows.back();
}

// [{"name", FIRST, SECOND, "change"}] for the best epochs.
Json metrics(const std::vector<RunLog>& logs, const std::vector<Json>& infos,
             const std::vector<std::string>& names) {
  Json rows = Json::array();
  if (logs[0].rows.empty() || logs[1].rows.empty()) return rows;
  const std::vector<double>&a = best_row(logs[0], infos[0]), &b = best_row(logs[1], infos[1]);
  for (size_t c = 0; c < logs[0].columns.size(); ++c) {
    const std::string& column = logs[0].columns[c];
    if (!logs[1].has(column)) continue;
    const double left = a[c], right = b[logs[1].column(column)];
    rows.push_back({{"name", column == "epoch" ? "best epoch" : column},
                    {names[0], json_number(left)},
                    {names[1], json_number(right)},
                    {"change", json_number(right - left)}});
  }
  return rows;
}

// The first epoch in which a column of both logs differs, with these columns.
struct FirstDifference {
  double epoch = 0;
  Json rows = Json::array();
};
std::optional<FirstDifference> first_difference(const RunLog& a, const RunLog& b,
                                                const std::vector<std::string>& names) {
  for (size_t r = 0; r < std::min(a.rows.size(), b.rows.size()); ++r) {
    FirstDifference found{a.rows[r][0]};
    for (size_t c = 0; c < a.columns.size(); ++c) {
      if (!b.has(a.columns[c])) continue;
      const Json left = json_number(a.rows[r][c]),
                 right = json_number(b.rows[r][b.column(a.columns[c])]);
      if (left == right) continue;
      found.rows.push_back({{"name", a.columns[c]}, {names[0], left}, {names[1], right}});
    }
    if (!found.rows.empty()) return found;
  }
  return std::nullopt;
}

// What looks equal in six digits is shown in full.
Json in_full(Json rows) {
  for (Json& row : rows) {
    Json &left = *std::next(row.begin()), &right = *std::next(row.begin(), 2);
    if (value_text(left) != value_text(right) || left == right) continue;
    left = left.dump();
    right = right.dump();
  }
  return rows;
}

void print(const char* title, const Json& rows, const std::string& none) {
  std::printf("\n%s\n", title);
  if (rows.empty()) {
    std::printf("  %s\n", none.c_str());
  } else {
    std::string text = info_text(Json{{"rows", in_full(rows)}}, results_width());
    text.erase(0, text.find("name"));  // the title of the table's column
    print_text(text);
  }
}

void run(const DiffOptions& o) {
  const JsonOutput output(o.json);
  std::vector<std::string> names = run_names(o.runs);
  if (names[0] == names[1]) throw UsageError("runs: the same one twice, " + o.runs[0]);
  for (std::string& name : names) {  // a column of the tables beside these two
    if (name == "name" || name == "change") name.insert(0, "run ");
  }
  std::vector<RunLog> logs;
  std::vector<Json> infos;
  for (const std::string& path : o.runs) {
    logs.push_back(epochs_of(path));
    infos.push_back(info_of_run(path));
  }
  const auto of_both = [&](const char* key) {
    return differences(infos[0][key], infos[1][key], names);
  };
  Json settings = of_both("settings");
  for (const Json& row : of_both("model")) settings.push_back(row);
  const Json made = differences(made_with(infos[0]), made_with(infos[1]), names);
  const Json numbers = metrics(logs, infos, names);
  const auto first = first_difference(logs[0], logs[1], names);
  const size_t both = std::min(logs[0].rows.size(), logs[1].rows.size());
  if (!output.to_stdout()) {
    std::printf("%s and %s\n", printable(o.runs[0]).c_str(), printable(o.runs[1]).c_str());
    print("settings that differ", settings, "none");
    print("made with", made, "the same");
    print("best epochs", numbers, "none yet");
    print(first ? ("the logs differ from epoch " + decimal(first->epoch, 0) + " on").c_str()
                : "the logs",
          first ? first->rows : Json::array(),
          "equal in the " + counted(both, "epoch") + " that both have");
  }
  if (!output.wanted()) return;
  Json json = {{"runs", o.runs},
               {"names", names},
               {"settings", settings},
               {"made_with", made},
               {"best", numbers},
               {"epochs_in_both", both},
               {"first_difference", nullptr}};
  if (first) json["first_difference"] = {{"epoch", first->epoch}, {"columns", first->rows}};
  output.write(o, json);
}

}  // namespace

void add_diff(CLI::App& app) {
  const auto [c, o] =
      declare<DiffOptions>(app, "diff", "Compare two runs: settings, metrics and logs",
                           "Metrics are from the best epochs; changes go from the first run to the "
                           "second. Equal trainings have logs that agree to the last digit.\n"
                           "Example:\n  heed diff runs/baseline runs/trained",
                           {.device = false, .seed = ""}, run);
  c.add_option("runs", o.runs, "Directories of two runs")->required()->expected(2, 2);
  add_json(c, o.json);
}

}  // namespace heed
