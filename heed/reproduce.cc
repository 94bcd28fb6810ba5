#include <cstdio>
#include <filesystem>

#include "dialog/text/format.h"
#include "experiments/distraction/paper.h"
#include "experiments/distraction/tables.h"
#include "heed/bundled.h"
#include "heed/checks.h"
#include "heed/commands.h"
#include "heed/provenance.h"
#include "heed/reproduce.h"
#include "tensor/parallel.h"
#include "train/step.h"

namespace heed {
namespace {

struct Options : ExperimentFlags {
  ExperimentSettings settings;
};

void write_tables(const std::string& out) {
  const std::string folder = (std::filesystem::path(out) / "tables").string();
  const DistractionResults results = load_distraction_results(out);
  save_tables(folder, all_tables(results, infer(results)));
  save_claims(folder, check_claims(results), kClaimsNote);
  std::printf("the tables are in %s\n", folder.c_str());
}

void run(Options& o) {
  check_exists(o.data);
  set_num_threads(o.common->threads);
  const RankTeam team(o.ranks, *o.common);
  check_work(o.work, *o.common, team);
  o.settings.made_with = made_with(*o.common);
  parse_shard(o.work.shard, o.selection);
  const auto runs = select_runs(names_of(variant_names()), o.common->seed, o.seeds, o.selection);
  o.settings.train = o.train.settings();
  o.settings.train.loop.pieces = team.pieces(o.pieces);
  check_ranks(team.size(), o.settings.train.loop.pieces);
  o.settings.limit = o.settings.train.limit.value_or(0);
  const auto data = team.read([&] { return load_experiment_data(o.data, o.settings); });
  if (team.first()) open_experiment(o.out, o.settings, data);
  const Plan plan = distraction_plan(o.out, runs, o.settings, data);
  work_on({o.work, plan, team,
           std::to_string(data.train.train.size()) + " training, " +
               std::to_string(data.train.valid.size()) + " validation and " +
               counted(data.test.size(), "test example"),
           [&](const std::string&) { return data.train.vocabulary.size(); },
           [&] { write_tables(o.out); }});
}

void declare_tests(CLI::App& c, ExperimentSettings& settings) {
  const char* tests = "Tests";
  c.add_option("--test-limit", settings.test_limit,
               "Only the first dialogues of the test part; 0: as --limit")
      ->capture_default_str()
      ->group(tests);
  c.add_option("--max-length", settings.max_response, "Longest response, in words")
      ->check(whole_number(1, 1000))
      ->capture_default_str()
      ->group(tests);
  c.add_option("--frequent", settings.phrases.frequent, "Utterances of the frequent: sets")
      ->capture_default_str()
      ->group(tests);
  c.add_option("--rare", settings.phrases.rare, "Utterances of the rare: sets")
      ->capture_default_str()
      ->group(tests);
}

}  // namespace

void ExperimentFlags::declare(CLI::App& c, const std::string& only) {
  common = add_common(c, {.seed = "Seed of the first training of each variant; see --seeds"});
  c.add_option("--data", data, "Dialogues: a data directory (its three parts are read)")
      ->required();
  c.add_option("--out", out, "Directory of the experiment, made if missing")->required();
  work.declare(c);
  add_experiment_ranks(c, ranks, pieces);
  c.add_option("--only", selection.only, "Only the variants that fit, with * and ?: " + only)
      ->group("Work");
  c.add_option("--seeds", seeds, "Train every variant with this many seeds, from --seed on")
      ->capture_default_str()
      ->group("Work");
  train.declare(c);
}

void add_experiment_ranks(CLI::App& c, int& ranks, std::optional<int>& pieces) {
  add_ranks(c, ranks)->group("Work");
  add_pieces(c, pieces)->group("Work");
}

void require_nothing_of(CLI::App& reproduce, CLI::App& command) {
  command.preparse_callback([&reproduce](size_t) {
    for (const char* name : {"--data", "--out"}) reproduce.get_option(name)->required(false);
  });
}

void add_reproduce(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "reproduce", "Train and test the 23 variants of the experiment; writes tables");
  c->footer(
      "Killed at any instant, the same command goes on where it was, to the same numbers. "
      "Several machines can work on one folder: start the same command on each.\n"
      "Example:\n"
      "  heed reproduce --data data/ubuntu-sample --out runs/smoke --preset smoke --jobs 2 "
      "--threads 1\n"
      "  heed report --runs runs/smoke --html report.html\n"
      "Other experiments:\n"
      "  heed reproduce probes --help\n"
      "  heed reproduce adversarial --help\n"
      "  heed reproduce mediation --help");
  o->declare(*c, "\"static-ui*\", \"*-p0.7\"");
  declare_tests(*c, o->settings);
  add_reproduce_probes(*c);
  add_reproduce_adversarial(*c);
  add_reproduce_mediation(*c);
  c->callback([o, c] {
    if (c->get_subcommands().empty()) run(*o);
  });
}

}  // namespace heed
