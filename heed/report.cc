#include <filesystem>

#include "base/file.h"
#include "base/path.h"
#include "experiments/experiment.h"
#include "heed/command.h"
#include "train/folder_of_runs.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

struct ReportOptions : CommandOptions {
  std::string folder, html, tables;
};

// A table may have the name of the file that describes the runs, as that of a sweep has, or of a
// measurement.
void check_holds_no_runs(const std::string& tables) {
  if (!fs::is_directory(tables)) return;
  for (const fs::directory_entry& file : fs::directory_iterator(tables)) {
    const std::string name = file.path().filename();
    const bool of_run = name == kEvaluationFile;
    if (!of_run && (!name.ends_with(".json") || !describes_runs(file.path().string()))) continue;
    throw UsageError("--tables " + tables + ": holds " + name + ", which " +
                     (of_run ? "is of a run" : "describes runs") +
                     "; give another directory, such as its tables");
  }
}

void run(const ReportOptions& o) {
  if (o.folder.empty()) throw UsageError("report: give the folder of an experiment");
  if (!path_exists(o.folder)) throw DataError(o.folder + ": no such file or directory");
  if (o.html.empty() && o.tables.empty()) {
    throw UsageError("report: give --html FILE or --tables DIR, or both");
  }
  // now, to notice before the work that a place cannot be written to
  if (!o.html.empty()) check_writable(o.html);
  if (!o.tables.empty()) {
    check_holds_no_runs(o.tables);
    check_can_be_made(fs::absolute(o.tables).lexically_normal() / "claims.md");
  }
  const Report report = experiment_of(all_experiments(), o.folder).report(o.folder);
  if (!o.tables.empty()) {
    save(o.tables, report);
    std::printf("the tables are in %s\n", o.tables.c_str());
  }
  if (o.html.empty()) return;
  write_file(o.html, report.page);
  std::printf("%s is written\n", o.html.c_str());
}

}  // namespace

void add_report(CLI::App& app) {
  const auto [c, o] = declare<ReportOptions>(
      app, "report",
      "Write one page with the measurements of `heed reproduce` or `heed sweep`, beside a paper's "
      "numbers",
      "The page needs no other file and no network. Unfinished runs are left out.\n"
      "Example:\n"
      "  heed report runs/smoke --html report.html",
      {.device = false, .seed = ""}, run);
  CLI::Option* folder = c.add_option(
      "folder", o.folder, "Directory of the experiment, the --out of heed reproduce or heed sweep");
  c.add_option("--runs", o.folder, "The directory of the experiment, as an option")
      ->excludes(folder);
  add_html(c, o.html);
  c.add_option("--tables", o.tables,
               "Write the tables into this directory: Markdown, CSV and JSON");
}

}  // namespace heed
