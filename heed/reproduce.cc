#include <algorithm>
#include <filesystem>

#include "base/list.h"
#include "dialog/discriminate/task.h"
#include "dialog/respond/system.h"
#include "experiments/experiment.h"
#include "heed/bundled.h"
#include "heed/command.h"
#include "heed/system_flags.h"
#include "heed/work_flags.h"
#include "tensor/parallel.h"
#include "train/step.h"

namespace heed {
namespace {

struct ReproduceOptions : CommandOptions {
  explicit ReproduceOptions(const Experiment& e)
      : experiment(e),
        trained(e.trains == Trains::kDiscriminators ? find_system("discriminate") : systems()[0]) {
    trained.preset = e.preset;
  }
  const Experiment& experiment;
  const std::unique_ptr<ExperimentWork> making = experiment.work();
  std::string data, out;
  int seeds = 1;
  Selection selection;
  WorkFlags work;
  int ranks = 0;
  std::optional<int> pieces;
  SystemFlags trained;                           // how, unless Trains::kNothing
  std::optional<std::vector<std::string>> idle;  // said of options without effect on any structure
};

void write_tables(const Experiment& experiment, const std::string& out) {
  const std::string folder = (std::filesystem::path(out) / "tables").string();
  save(folder, experiment.report(out));
  std::printf("the tables are in %s\n", folder.c_str());
}

void keep_idle(ReproduceOptions& o, const TrainSettings& s) {
  const SettingFlags& flags = o.trained.flags;
  std::vector<std::string> its = flags.idle(s);
  try {
    refuse_without_effect(s, [&](const std::string& option) { return flags.given(option); });
  } catch (const UsageError& e) {
    its.emplace_back(e.what());
  }
  if (!o.idle) o.idle = its;
  const auto option_of = [](const std::string& said) { return said.substr(0, said.find(':')); };
  std::erase_if(*o.idle, [&](const std::string& said) {
    return std::ranges::count(its, option_of(said), option_of) == 0;
  });
}

ExperimentRequest request_of(ReproduceOptions& o, int pieces) {
  return {.data = o.data,
          .made_with = made_with(*o.common),
          .pieces = pieces,
          .responder =
              [&o, pieces](const Structure& structure) {
                TrainSettings s = response_settings(o.trained, std::string(structure.name));
                s.loop.pieces = pieces;
                keep_idle(o, s);
                return s;
              },
          .discriminator =
              [&o, pieces] {
                const std::unique_ptr<Training> training = o.trained.training();
                training->loop().seed = o.common->seed;
                training->loop().pieces = pieces;
                training->complete();
                return dynamic_cast<TrainingOf<discriminate::Settings>&>(*training).values();
              },
          .batch_size =
              [&o](const TrainSettings& s, size_t examples) {
                return o.trained.flags.given("batch") ? s.loop.batch_size
                                                      : batch_size_for(s, examples);
              },
          .refuse_given =
              [&o](const std::string& option, const std::string& is_for) {
                refuse_given(*o.command, option, is_for);
              }};
}

// The options that were given, which all ranks must have alike. Where each rank has its own folders
// and processors, these may have other names.
std::vector<Given> given_on(const CLI::App& command) {
  std::vector<Given> given;
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    const bool of_machine = name == "--out" || name == "--data" || name == "--threads" ||
                            name == "--device" || name == "--ranks";
    if (option->count() > 0 && !of_machine) given.push_back({name, joined(option->results(), " ")});
  }
  return given;
}

void run(ReproduceOptions& o) {
  const auto corpora =
      o.experiment.many_corpora ? comma_list("--data", o.data) : std::vector<std::string>{o.data};
  for (const std::string& corpus : corpora) check_exists(corpus);
  set_num_threads(o.common->threads);
  const RankTeam team(o.ranks, *o.common);
  check_work(o.work, *o.common, team);
  parse_shard(o.work.shard, o.selection);
  check_ranks(team.size(), team.pieces(o.pieces));
  team.check_alike(given_on(*o.command));
  ExperimentWork& making = *o.making;
  const auto variants = making.take(request_of(o, team.pieces(o.pieces)));
  if (o.idle && !o.idle->empty()) throw UsageError(o.idle->front());
  auto runs = select_runs(names_of(variants), o.common->seed, o.seeds, o.selection);
  std::erase_if(runs, [&](const PlannedRun& run) {
    return !variants[run.variant].of_seeds && run.seed != o.common->seed;
  });
  making.load(team.reads());
  team.check_alike({{"the data", making.checksum(), o.data}});
  team.share(making);
  making.settle();
  if (team.first()) {
    making.check(runs);
    making.open(o.out);
  }
  const Plan plan = making.plan(o.out, runs);
  work_on({o.work, plan, team, making.in_short(), making.words(),
           [&] { write_tables(o.experiment, o.out); }});
}

void declare_option(CLI::App& c, const Setting& setting, auto& value) {
  if (setting.help.empty()) return;
  const std::string name = "--" + setting.option;
  if constexpr (std::is_same_v<decltype(value), bool&>) {
    take_setting<bool>(*c.add_flag(name, value, setting.help), setting);
  } else {
    take_setting<std::remove_reference_t<decltype(value)>>(*option(c, name, value, setting.help),
                                                           setting);
  }
}

std::string footer_of(const Experiment& e, const std::string& command) {
  return e.more +
         " If the command is killed at any time, the same command continues with the same "
         "numbers. Several machines can work on one folder: start the same command on each.\n"
         "Example:\n"
         "  heed " +
         command + " " + e.example + " --out runs/" + e.name +
         " --jobs 2 --threads 1\n"
         "  heed report runs/" +
         e.name + " --html report.html";
}

std::shared_ptr<ReproduceOptions> declare(CLI::App& c, const Experiment& experiment) {
  auto o = std::make_shared<ReproduceOptions>(experiment);
  o->command = &c;
  o->common = add_common(c, {.seed = "Seed of the first training of each variant; see --seeds"});
  c.add_option("--data", o->data,
               std::string("Dialogues: a data directory (its three parts are read)") +
                   (experiment.many_corpora ? ", or several with commas" : ""))
      ->required();
  c.add_option("--out", o->out, "Directory of the experiment, made if missing")->required();
  o->work.declare(c);
  {
    const InGroup group(c, kWork);
    add_ranks(c, o->ranks);
    add_pieces(c, o->pieces);
    c.add_option("--only", o->selection.only,
                 "Only the variants with these names, with commas; * and ? stand for any: " +
                     experiment.only);
    option(c, "--seeds", o->seeds, "Train every variant with this many seeds, starting at --seed",
           whole_number(1, 10000));
  }
  if (experiment.trains != Trains::kNothing) {
    o->trained.declare(
        c, [](const Setting& s) { return !s.of_variant; },
        /*folders=*/experiment.trains == Trains::kDiscriminators);
  }
  o->making->visit([&](const Setting& setting, const OptionValue& value) {
    std::visit([&](auto* v) { declare_option(c, setting, *v); }, value);
  });
  return o;
}

// The required options of `heed reproduce` alone are not required if an experiment's command
// follows.
void require_nothing_of(CLI::App& reproduce, CLI::App& command) {
  command.preparse_callback([&reproduce](size_t) {
    for (const char* name : {"--data", "--out"}) reproduce.get_option(name)->required(false);
  });
}

}  // namespace

void add_reproduce(CLI::App& app) {
  const Experiment& first = all_experiments().front();
  CLI::App* c = app.add_subcommand("reproduce", first.what);
  const auto o = declare(*c, first);
  std::string others = "\nExperiments by name, each with a --help of its own:";
  for (const Experiment& e : all_experiments()) {
    if (e.name.empty()) continue;
    CLI::App* named = c->add_subcommand(e.name, e.what);
    named->footer(footer_of(e, "reproduce " + e.name));
    require_nothing_of(*c, *named);
    named->callback([its = declare(*named, e)] { run(*its); });
    others += "\n  heed reproduce " + e.name + " --help";
  }
  c->footer(footer_of(first, "reproduce") + others);
  c->callback([o, c] {
    if (c->get_subcommands().empty()) run(*o);
  });
}

}  // namespace heed
