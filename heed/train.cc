// `heed train SYSTEM`
#include <algorithm>

#include "base/clock.h"
#include "base/file.h"
#include "base/machine.h"
#include "dialog/open_run.h"
#include "heed/bundled.h"
#include "heed/command.h"
#include "heed/inputs.h"
#include "heed/progress.h"
#include "heed/rank_team.h"
#include "heed/signals.h"
#include "heed/system_flags.h"
#include "heed/train.h"
#include "train/run_json.h"

namespace heed {
namespace {

struct TrainOptions : CommandOptions {
  explicit TrainOptions(const System& system) : how(system) {}
  SystemFlags how;
  std::string data, out, name;
  std::string was;  // the name of this command in earlier versions
  bool resume = false, detect_anomaly = false;
  double checkpoint_every = TrainHooks{}.checkpoint_seconds;
  int log_steps = 0, ranks = 0;
  std::optional<int> pieces;
};

// `heed train respond/hred` is `heed train --structure hred`.
void take_name(const TrainOptions& o, CLI::App& command) {
  const std::string& system = o.how.system.name;
  if (o.name.empty() || o.name == system) return;
  const std::vector<std::string> forms = o.how.system.forms().names;
  const std::string form = o.name.substr(std::min(system.size() + 1, o.name.size()));
  if (o.name != system + "/" + form || std::find(forms.begin(), forms.end(), form) == forms.end()) {
    find_system(o.name);
    throw UsageError(o.name + ": heed does not train it; heed import imports it");
  }
  refuse_given(command, "--structure", "to heed train " + system);
  CLI::Option* structure = command.get_option("--structure");
  structure->add_result(form);
  structure->run_callback();
}

std::unique_ptr<Training> training_of(const TrainOptions& o, const RankTeam& team) {
  std::unique_ptr<Training> training = o.how.training();
  const bool goes_on = o.resume && holds_run(o.out);  // with settings of its own
  if (!goes_on) {
    training->complete();
    o.how.flags.refuse_idle(training->settings());
  }
  LoopSettings& loop = training->loop();
  loop.seed = o.common->seed;
  loop.log_steps = o.log_steps;
  loop.pieces = std::max(loop.pieces, team.pieces(o.pieces));
  return training;
}

// A resumed run may use other arithmetic than before: its numbers are then those of neither.
void note_other_arithmetic(const std::string& run, const Common& common) {
  const Json settings = parse_json<Json>(file_inside(run, "settings.json"));
  const Json before = settings.value("heed", Json::object());
  const auto kind = [](const std::string& device) { return device.substr(0, device.find(':')); };
  const auto text = [&](const char* key, const std::string& now) {
    const Json value = before.is_object() ? before.value(key, Json(now)) : Json(now);
    return value.is_string() ? value.get<std::string>() : now;
  };
  const std::string device = kind(text("device", common.device)), now = matmul_of(common),
                    matmul = text("matmul", now);
  if (device == kind(common.device) && matmul == now) return;
  note(run + ": began on " + device + " with " + matmul + " and goes on on " + kind(common.device) +
       " with " + now + ": its numbers are not those of either alone");
}

void print_line(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

struct Done {
  bool worked = false;  // there was work to do
  int64_t steps = 0;    // and from the first epoch on
  int64_t bytes = 0;
  double exchanging = 0, began = 0;
};

// The progress and messages of rank 0.
void show_progress(TrainHooks& hooks, Progress& progress, Done& done, const Training& training) {
  hooks.on_step = [&, ranks = hooks.ranks](const TrainProgress& p) {
    done.worked = true;
    if (done.steps++ == 0) done = {true, 1, ranks->bytes_sent(), ranks->seconds(), now()};
    progress.show(training_line(p, training.step_text(p)));
  };
  hooks.on_validation = [&](int64_t of_them, int64_t examples) {
    done.worked = true;
    show_counts(progress, "example", "validation  ")(of_them, examples);
  };
  hooks.on_epoch = [&](const EpochLog& e, bool best) {
    progress.done();
    print_line(training.epoch_text(e, best));
  };
  hooks.on_warning = [&](const std::string& text) {
    progress.done();
    warn(text);
  };
}

// The cost of the gradient exchange, which shows whether more ranks pay.
void print_traffic(const Ranks& ranks, const Done& done) {
  if (ranks.size() == 1 || done.steps < 2) return;
  const double seconds = now() - done.began;
  std::printf("rank 0 sent %s a step%s and spent %.0f%% of its time exchanging or waiting%s\n",
              size_text(static_cast<double>(ranks.bytes_sent() - done.bytes) /
                        static_cast<double>(done.steps - 1))
                  .c_str(),
              ranks.bytes_from_gpu() > 0 ? " from GPU to GPU" : "",
              100 * (ranks.seconds() - done.exchanging) / seconds,
              ranks.bytes_from_gpu() > 0 ? ", GPU time not counted" : "");
}

// The work of each rank.
void train_on(const TrainOptions& o, Training& training, const std::atomic<bool>& stop,
              Ranks& ranks, Device device) {
  TrainHooks hooks;
  hooks.ranks = &ranks;
  hooks.stop = &stop;
  hooks.detect_anomaly = o.detect_anomaly;
  hooks.checkpoint_seconds = o.checkpoint_every;
  Progress progress;
  Done done;
  if (ranks.first()) show_progress(hooks, progress, done, training);
  const bool finished = training.train(o.out, device, hooks);
  progress.done();
  if (!ranks.first()) return;
  print_traffic(ranks, done);
  if (!finished) {
    return print_line("stopped: the same command with --resume continues from here (" + o.out +
                      ")");
  }
  if (!done.worked) {
    const size_t epochs = load_log(o.out).size();
    const bool all = static_cast<int>(epochs) >= training.loop().max_epochs;
    print_line("nothing to do: the run has finished its " + counted(epochs, "epoch") +
               (all ? " (raise --epochs to continue)" : ", and then its schedule ended it"));
  }
  print_line(training.end_text(o.out));
}

OpenRun open(const TrainOptions& o, Training& training, const RankTeam& team, const Talk& talk) {
  return open_run(
      training,
      {.data = o.how.system.several_corpora ? comma_list("--data", o.data) : Paths{o.data},
       .out = o.out,
       .resume = o.resume,
       .made_with = json_text(provenance(o)),
       .take = [&](AnySettings asked,
                   AnySettings run) { take_given(*o.command, o.out, asked, run); },
       .talk = talk,
       .ranks = team.size(),
       .first = team.first(),
       .reads = team.reads()});
}

void run(const TrainOptions& o) {
  const RankTeam team(o.ranks, *o.common);
  const Device device = team.start();
  const std::unique_ptr<Training> training = training_of(o, team);
  team.check_alike(given_options(as_options(training->settings())));
  Progress progress;
  const Talk talk{.say =
                      [&](const std::string& line) {
                        progress.done();
                        print_line(line);
                      },
                  .note = note,
                  .device = device};
  training->progress = show_counts(progress, "example", "before  ");
  const OpenRun run = team.prepare([&] { return open(o, *training, team, talk); });
  team.share(*training);
  const std::atomic<bool>& stop = stop_on_signals();
  if (team.first()) {  // from here on a signal waits for the step to end
    if (!o.was.empty()) note("heed " + o.was + " is now heed train " + o.how.system.name);
    if (!run.is_new) {
      note_other_arithmetic(o.out, *o.common);
      print_line("continuing " + o.out);
    }
    training->describe(o.out, run.is_new, talk);
    const int pieces = training->loop().pieces;
    if (pieces > 1) {
      print_line("batches in " + std::to_string(pieces) + " pieces, on " +
                 counted(team.size(), "rank"));
    }
  }
  try {
    team.run([&](Ranks& ranks, Device of_rank) { train_on(o, *training, stop, ranks, of_rank); },
             stop);
  } catch (const UsageError&) {
    if (team.first()) run.take_back(o.out);
    throw;
  }
}

// Those of items, states, gaps or questions, which the bundled sample lacks.
bool needs_labels(const System& system) {
  return system.has(Capability::kTag) || system.has(Capability::kAnswer);
}

void declare(const std::shared_ptr<TrainOptions>& o, CLI::App& c) {
  const System& system = o->how.system;
  o->command = &c;
  o->common =
      add_common(c, {.seed = "Seed of the initial weights, the order of examples and all draws"});
  c.add_option("--data", o->data,
               "Dialogues: a data directory (its train and valid parts are read)" +
                   std::string(system.several_corpora ? ", or several with commas" : "") +
                   (needs_labels(system) ? "" : ". If not given: the bundled sample"));
  c.add_option("--out", o->out, "Directory of the run, made if missing")->required();
  o->how.declare_form(c);
  if (!system.forms().names.empty()) {
    c.add_option(
        "system", o->name,
        "What to train: " + system.name + ", or " + system.name + "/STRUCTURE (see --structure)");
  }
  o->how.declare(c, system.is_option, /*folders=*/true);
  if (system.ranks) {
    add_ranks(c, o->ranks);
    add_pieces(c, o->pieces);
  }
  c.add_flag("--resume", o->resume,
             "Continue the run in --out with its own settings, except --epochs, --rate and "
             "--max-norm; starts a new run if --out has none");
  add_checkpoint_every(c, o->checkpoint_every);
  option(c, "--log-steps", o->log_steps,
         "Write loss, perplexity, rate and gradient norm of every N-th step to steps.jsonl of the "
         "run, for heed log, plot and watch; 0: never",
         whole_number(0, 1000000000));
  c.add_flag("--detect-anomaly", o->detect_anomaly,
             "Check all numbers of every op, and name the first op that produces an infinite "
             "number or NaN; slower");
  c.callback([o, &c] {
    if (!c.get_subcommands().empty()) return;  // heed train SYSTEM, which has run
    take_name(*o, c);
    const System& system = o->how.system;
    if (o->data.empty() && needs_labels(system)) {
      throw UsageError("--data is required: the bundled sample has no labels for " + system.what);
    }
    find_data(o->data, c, system.several_corpora ? Corpora::kSeveral : Corpora::kOne);
    run(*o);
  });
}

}  // namespace

CLI::App* add_training(CLI::App& parent, const std::string& name, const System& system,
                       const std::string& was) {
  const auto o = std::make_shared<TrainOptions>(system);
  o->was = was;
  CLI::App* c = parent.add_subcommand(name, system.help);
  c->footer(system.footer);
  declare(o, *c);
  return c;
}

// `heed train` alone trains the first system of the list; the others are its sub-commands.
void add_train(CLI::App& app) {
  CLI::App* c = add_training(app, "train", systems()[0]);
  for (const System& system : systems()) {
    if (!system.train || &system == &systems()[0]) continue;
    CLI::App* own = add_training(*c, system.name, system);
    own->preparse_callback([c, own](size_t) {
      CLI::Option* out = c->get_option("--out");
      // A misplaced --out is told as other options are (heed/checks.h), not as a missing one.
      if (out->count() > 0) own->get_option("--out")->required(false);
      out->required(false);
    });
  }
  c->description("Train a model on dialogues, or resume a training");
  c->footer(
      "Ctrl-C finishes the step and writes a checkpoint; --resume continues to the same result.\n"
      "With few dialogues, presets with adam take smaller batches unless --batch is given, so "
      "that an epoch has 100 steps.\n"
      "Example: a model that learns to look past distractions, and its baseline\n"
      "  heed train --data data/ubuntu-sample --out runs/trained --preset smoke --insert-prob "
      "0.7\n"
      "  heed train --data data/ubuntu-sample --out runs/baseline --preset smoke\n"
      "Other systems have options of their own: heed train discriminate --help");
}

}  // namespace heed
