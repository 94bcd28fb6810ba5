#include <cstdio>

#include "base/file.h"
#include "experiments/adversarial/page.h"
#include "experiments/adversarial/results.h"
#include "experiments/experiment.h"
#include "experiments/mediation/mediation.h"
#include "heed/commands.h"
#include "heed/shared_options.h"

namespace heed {
namespace {

struct Options {
  std::string runs, html, tables;
};

template <class Found> Report shown(const Showing<Found>& showing, const std::string& folder) {
  return report_of(showing, showing.load(folder));
}

Report report_of(const std::string& folder) {
  if (holds_adversarial(folder)) return shown(adversarial_showing(), folder);
  if (mediation::holds(folder)) return shown(mediation::showing(), folder);
  return experiment_of(all_experiments(), folder).report(folder);
}

void run(const Options& o) {
  if (o.html.empty() && o.tables.empty()) {
    throw UsageError("report: give --html FILE or --tables DIR, or both");
  }
  // now, so that a place that cannot be written to is noticed before the work
  if (!o.html.empty()) check_writable(o.html);
  const Report report = report_of(o.runs);
  if (!o.tables.empty()) {
    save_tables(o.tables, report.tables);
    save_claims(o.tables, report.claims, report.claims_note);
    std::printf("the tables are in %s\n", o.tables.c_str());
  }
  if (o.html.empty()) return;
  write_file(o.html, report.page);
  std::printf("%s is written\n", o.html.c_str());
}

}  // namespace

void add_report(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "report", "One page of what `heed reproduce` measured, beside the paper's numbers");
  c->footer(
      "The page needs no other file and no network. Runs that are not finished yet are left out.\n"
      "Example:\n"
      "  heed report --runs runs/smoke --html report.html");
  add_common(*c, {.device = false, .seed = ""});
  c->add_option("--runs", o->runs, "Directory of the experiment, the --out of heed reproduce")
      ->required();
  add_html(*c, o->html);
  c->add_option("--tables", o->tables,
                "Write the tables into this directory: Markdown, CSV and JSON");
  c->callback([o] { run(*o); });
}

}  // namespace heed
