#include <cstdio>
#include <filesystem>

#include "dialog/respond/system.h"
#include "dialog/text/format.h"
#include "experiments/probes/claims.h"
#include "experiments/probes/tables.h"
#include "heed/bundled.h"
#include "heed/checks.h"
#include "heed/provenance.h"
#include "heed/reproduce.h"
#include "heed/shared_options.h"
#include "tensor/parallel.h"
#include "train/step.h"

namespace heed {
namespace {

struct Options : ExperimentFlags {
  std::string readings = "raw,standardised";
  ProbesSettings settings;
};

// Of few dialogues smaller batches, as heed train takes them.
void choose_batches(const Options& o, size_t examples, ProbesSettings& settings) {
  if (o.train.flags.given("batch")) return;
  for (TrainSettings& s : settings.train) s.loop.batch_size = batch_size_for(s, examples);
}

void write_tables(const std::string& out) {
  const std::string folder = (std::filesystem::path(out) / "tables").string();
  const ProbesResults results = load_probes_results(out);
  save_tables(folder, probe_tables(results, infer_probes(results)));
  save_claims(folder, check_probe_claims(results), kProbeClaimsNote);
  std::printf("the tables are in %s\n", folder.c_str());
}

void run(Options& o) {
  check_exists(o.data);
  set_num_threads(o.common->threads);
  const RankTeam team(o.ranks, *o.common);
  check_work(o.work, *o.common, team);
  o.settings.made_with = made_with(*o.common);
  o.settings.readings = parse_readings(o.readings);
  parse_shard(o.work.shard, o.selection);
  const auto runs = select_runs(names_of(probed_names()), o.common->seed, o.seeds, o.selection);
  for (const Structure& s : probed_structures()) o.settings.train.push_back(o.train.settings(s));
  for (TrainSettings& s : o.settings.train) s.loop.pieces = team.pieces(o.pieces);
  check_ranks(team.size(), team.pieces(o.pieces));
  o.settings.limit = o.settings.train[0].limit.value_or(0);
  if (o.settings.choose > 0 && o.settings.train[0].loop.keep_every == 0) {
    throw UsageError("--choose: there are no epochs to choose from without --keep-every");
  }
  const auto data = team.read([&] { return load_probes_data(o.data, o.settings); });
  choose_batches(o, data.train.train.size(), o.settings);
  if (team.first()) open_probes(o.out, o.settings, data);
  const Plan plan = probes_plan(o.out, runs, o.settings, data);
  work_on({o.work, plan, team,
           counted(data.tasks.size(), "task") + ", " + std::to_string(data.fit.examples.size()) +
               " examples to train probes on and " + std::to_string(data.test.examples.size()) +
               " to test them on",
           [&](const std::string&) { return data.train.vocabulary.size(); },
           [&] { write_tables(o.out); }});
}

void declare_probes(CLI::App& c, Options& o) {
  const char* probes = "Probes";
  c.add_option("--readings", o.readings,
               "How to probe, with commas. raw: logistic regression on what the encoder makes of "
               "a context, the sum over layers or positions; standardised: on their mean, each "
               "dimension to mean 0 and variance 1; mlp: one hidden layer, on the sum")
      ->capture_default_str()
      ->group(probes);
  c.add_option("--max-iter", o.settings.max_iterations,
               "Iterations of the solver at most; epochs of the MLP (200 at most)")
      ->check(whole_number(1, 1000000))
      ->capture_default_str()
      ->group(probes);
  c.add_option("--test-limit", o.settings.test_limit,
               "Only the first dialogues of the test part; 0: as --limit")
      ->capture_default_str()
      ->group(probes);
  c.add_option("--responses", o.settings.responses,
               "Respond to the first test examples, for BLEU; 0: to none")
      ->check(whole_number(0, 1000000))
      ->capture_default_str()
      ->group(probes);
  c.add_option("--max-length", o.settings.max_response, "Longest response, in words")
      ->check(whole_number(1, 1000))
      ->capture_default_str()
      ->group(probes);
  c.add_option("--choose", o.settings.choose,
               "Let every kept epoch respond to the first dialogues of the valid part, and also "
               "probe those that write best by BLEU-2, ROUGE-L and METEOR (Tables 9 to 11); 0: "
               "not, since writing takes long. Finished folders can have it later")
      ->check(whole_number(0, 1000000))
      ->capture_default_str()
      ->group(probes);
}

}  // namespace

void add_reproduce_probes(CLI::App& reproduce) {
  auto o = std::make_shared<Options>();
  CLI::App* c = reproduce.add_subcommand(
      "probes", "Train eleven models and probe their encoders at every epoch; writes tables");
  c->footer(
      "The experiment of Parthasarathi, Pineau & Chandar (2020), docs/probes.md. Tasks are those "
      "that the data has labels for. Every kept epoch is probed (--keep-every). Killed at any "
      "instant, the same command goes on where it was.\n"
      "Example:\n"
      "  heed reproduce probes --data data/ubuntu-sample --out runs/probes --preset probe-smoke "
      "--jobs 2 --threads 1\n"
      "  heed report --runs runs/probes --html report.html");
  o->declare(*c, "\"*lstm*\", transformer");
  o->train.preset = "probe-tuned";
  declare_probes(*c, *o);
  require_nothing_of(reproduce, *c);
  c->callback([o] { run(*o); });
}

}  // namespace heed
