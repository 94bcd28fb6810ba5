#include <cstdio>

#include "experiments/distraction/page.h"
#include "experiments/distraction/paper.h"
#include "experiments/distraction/tables.h"
#include "heed/commands.h"
#include "heed/shared_options.h"
#include "tensor/file.h"

namespace heed {
namespace {

struct Options {
  std::string runs, html, tables;
};

void run(const Options& o) {
  if (o.html.empty() && o.tables.empty()) {
    throw UsageError("report: give --html FILE or --tables DIR, or both");
  }
  // now, so that a place that cannot be written to is noticed before the work
  if (!o.html.empty()) check_writable(o.html);
  const DistractionResults results = load_distraction_results(o.runs);
  const Inference inference = infer(results);
  const std::vector<Table> tables = all_tables(results, inference);
  if (!o.tables.empty()) {
    save_tables(o.tables, tables);
    save_claims(o.tables, check_claims(results), kClaimsNote);
    std::printf("the tables are in %s\n", o.tables.c_str());
  }
  if (o.html.empty()) return;
  write_file(o.html, render_page(results, inference, tables));
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
