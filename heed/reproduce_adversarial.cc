#include <cstdio>
#include <filesystem>

#include "dialog/text/format.h"
#include "experiments/adversarial/evaluation.h"
#include "experiments/adversarial/page.h"
#include "heed/bundled.h"
#include "heed/checks.h"
#include "heed/decode_flags.h"
#include "heed/discriminator_flags.h"
#include "heed/provenance.h"
#include "heed/reproduce.h"
#include "heed/shared_options.h"
#include "tensor/parallel.h"
#include "train/model_directory.h"
#include "train/step.h"

namespace heed {
namespace {

struct Options {
  CommonPtr common;
  const CLI::App* command = nullptr;  // knows which options were given
  std::string data, generators, out;
  int seeds = 1;
  Selection selection;
  WorkFlags work;
  int ranks = 0;
  std::optional<int> pieces;
  DiscriminatorFlags train;
  AdversarialSettings settings;
};

void write_tables(const std::string& out) {
  const std::string folder = (std::filesystem::path(out) / "tables").string();
  const Report report = report_of(adversarial_showing(), adversarial_showing().load(out));
  save_tables(folder, report.tables);
  save_claims(folder, report.claims, report.claims_note);
  std::printf("the tables are in %s\n", folder.c_str());
}

void run(Options& o) {
  set_num_threads(o.common->threads);
  const RankTeam team(o.ranks, *o.common);
  check_work(o.work, *o.common, team);
  AdversarialSettings& s = o.settings;
  s.made_with = made_with(*o.common);
  s.corpora = named_folders("--data", o.data);
  s.generators = named_folders("--generators", o.generators);
  if (s.corpora.empty()) throw UsageError("--data: names nothing");
  for (const auto& corpus : s.corpora) check_exists(corpus.path);
  s.train = o.train.settings(o.common->seed);
  s.train.loop.pieces = team.pieces(o.pieces);
  check_ranks(team.size(), s.train.loop.pieces);
  if (s.decode_name != "beam") refuse_given(*o.command, "--beam", "--decode beam");
  s.decode.method = decode_method(s.decode_name);
  s.decode.check();
  parse_shard(o.work.shard, o.selection);
  const auto names = names_of(judge_names(judge_variants(s.corpus_names(), s.reliability)));
  const auto runs = select_runs(names, o.common->seed, o.seeds, o.selection);
  AdversarialData data = load_adversarial_data(s, team.reads());
  team.share(data);
  for (const discriminate::TrainData& train : data.train) {
    discriminate::Config sizes = s.train.model;
    sizes.vocab_size = train.vocabulary.size();
    check_memory(discriminate::parameter_count(sizes));
  }
  if (team.first()) open_adversarial(o.out, s, data);
  const Plan plan = adversarial_plan(o.out, runs, s, data);
  work_on({o.work,
           plan,
           team,
           std::to_string(s.corpora.size()) + (s.corpora.size() == 1 ? " corpus" : " corpora") +
               ", " + counted(data.passages.size(), "test passage") + ", " +
               counted(s.generators.size(), "generator"),
           {},
           [&] { write_tables(o.out); }});
}

void declare_tests(CLI::App& c, AdversarialSettings& s) {
  const char* tests = "Tests";
  c.add_option("--test-limit", s.test_limit,
               "Only the first dialogues of the test part; 0: as --limit")
      ->capture_default_str()
      ->group(tests);
  c.add_option("--responses", s.responses,
               "Have generators respond to the first passages of each test part; 0: to all")
      ->capture_default_str()
      ->group(tests);
  c.add_option("--decode", s.decode_name,
               "greedy: generators take the most probable word each time; sample: draw from the 20 "
               "most probable ones, which small models need, as the others repeat so much that few "
               "responses are left; beam: search")
      ->check(one_of({"beam", "greedy", "sample"}))
      ->capture_default_str()
      ->group(tests);
  c.add_option("--beam", s.decode.beam_size, "Beam search with so many hypotheses")
      ->check(whole_number(1, 1000))
      ->capture_default_str()
      ->group(tests);
  c.add_option("--max-length", s.decode.max_length, "Longest response, in words")
      ->check(whole_number(1, 1000))
      ->capture_default_str()
      ->group(tests);
}

}  // namespace

void add_reproduce_adversarial(CLI::App& reproduce) {
  auto o = std::make_shared<Options>();
  CLI::App* c = reproduce.add_subcommand(
      "adversarial", "Train discriminators and have them judge random and generated responses");
  c->footer(
      "The experiment of Bruni & Fernandez (2017), docs/adversarial.md: a discriminator for each "
      "corpus, of several corpora also one for all, each again without context; Table 1 with "
      "random responses, Table 2 with those of the generators. Killed at any instant, the same "
      "command goes on where it was.\n"
      "Example:\n"
      "  heed reproduce adversarial --data data/ubuntu-sample --generators "
      "data/models/trained,data/models/baseline --out runs/adversarial --preset smoke --jobs 2 "
      "--threads 1\n"
      "  heed report --runs runs/adversarial --html report.html");
  o->common = add_common(*c, {.seed = "Seed of the first training of each variant; see --seeds"});
  c->add_option("--data", o->data,
                "Dialogues: a data directory (its three parts are read), or several with commas")
      ->required();
  c->add_option("--generators", o->generators,
                "Runs of response models, several with commas, whose responses are judged");
  c->add_option("--out", o->out, "Directory of the experiment, made if missing")->required();
  c->add_flag("--reliability", o->settings.reliability,
              "Train classifiers where the right answer is known, too: real passages against real "
              "ones, shuffled words, and of several corpora responses of another one");
  o->work.declare(*c);
  add_experiment_ranks(*c, o->ranks, o->pieces);
  c->add_option("--only", o->selection.only,
                "Only the variants that fit, with * and ?: \"together*\", \"*-response-only\"")
      ->group("Work");
  c->add_option("--seeds", o->seeds, "Train every variant with this many seeds, from --seed on")
      ->capture_default_str()
      ->group("Work");
  o->train.declare(*c);
  o->command = c;
  declare_tests(*c, o->settings);
  require_nothing_of(reproduce, *c);
  c->callback([o] { run(*o); });
}

}  // namespace heed
