#include <cstdio>
#include <filesystem>

#include "dialog/text/format.h"
#include "experiments/mediation/mediation.h"
#include "heed/bundled.h"
#include "heed/checks.h"
#include "heed/provenance.h"
#include "heed/reproduce.h"
#include "tensor/parallel.h"
#include "train/step.h"

namespace heed {
namespace {

struct Options : ExperimentFlags {
  mediation::Settings settings;
};

void write_tables(const std::string& out) {
  const std::string folder = (std::filesystem::path(out) / "tables").string();
  const Report report = report_of(mediation::showing(), mediation::showing().load(out));
  save_tables(folder, report.tables);
  save_claims(folder, report.claims, report.claims_note);
  std::printf("the tables are in %s\n", folder.c_str());
}

void run(Options& o) {
  check_exists(o.data);
  set_num_threads(o.common->threads);
  const RankTeam team(o.ranks, *o.common);
  check_work(o.work, *o.common, team);
  mediation::Settings& s = o.settings;
  s.made_with = made_with(*o.common);
  parse_shard(o.work.shard, o.selection);
  const auto runs =
      select_runs(names_of(mediation::variant_names()), o.common->seed, o.seeds, o.selection);
  s.train = o.train.settings();
  s.train.loop.pieces = team.pieces(o.pieces);
  check_ranks(team.size(), s.train.loop.pieces);
  s.limit = s.train.limit.value_or(0);
  const auto data = team.read([&] { return mediation::load_data(o.data, s); });
  if (team.first()) mediation::open(o.out, s, data);
  const Plan plan = mediation::plan(o.out, runs, s, data);
  work_on({o.work, plan, team,
           std::to_string(data.train.train.size()) + " training, " +
               std::to_string(data.train.valid.size()) + " validation and " +
               counted(data.test.size(), "test example"),
           [&](const std::string&) { return data.train.vocabulary.size(); },
           [&] { write_tables(o.out); }});
}

}  // namespace

void add_reproduce_mediation(CLI::App& reproduce) {
  auto o = std::make_shared<Options>();
  CLI::App* c = reproduce.add_subcommand(
      "mediation", "Which way distractions do their harm, after four kinds of training");
  c->footer(
      "Four structures, each trained on the data as they are, with distractions inserted, with the "
      "attention loss too, and with a placebo of it; every test dialogue is read five times "
      "(docs/results/mediation.md). Killed at any instant, the same command goes on where it was.\n"
      "Example:\n"
      "  heed reproduce mediation --data data/ubuntu-sample --out runs/mediation --preset smoke "
      "--jobs 2 --threads 1\n"
      "  heed report --runs runs/mediation --html report.html");
  o->declare(*c, "\"static-ui*\", \"*-placebo\"");
  c->add_option("--test-limit", o->settings.test_limit,
                "Only the first dialogues of the test part; 0: as --limit")
      ->capture_default_str()
      ->group("Tests");
  require_nothing_of(reproduce, *c);
  c->callback([o] { run(*o); });
}

}  // namespace heed
