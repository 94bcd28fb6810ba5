// `heed adversary`: a generator and a discriminator that learn from each other.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "dialog/adversary/run.h"
#include "dialog/adversary/settings.h"
#include "dialog/text/format.h"
#include "heed/bundled.h"
#include "heed/checks.h"
#include "heed/commands.h"
#include "heed/messages.h"
#include "heed/open_run.h"
#include "heed/progress.h"
#include "heed/provenance.h"
#include "heed/results.h"
#include "heed/setting_flags.h"
#include "heed/shared_options.h"
#include "heed/signals.h"
#include "train/lock.h"
#include "train/model_directory.h"
#include "train/run_json.h"

namespace heed {
namespace {

using adversary::Settings;

// Both are trained with Adam. The rate is never halved: the perplexity rises, as it is not what is
// trained.
Settings usual_settings() {
  Settings s;
  s.generator.limit = 0;
  s.generator.loop = {.batch_size = 32,
                      .optimizer = {.name = "adam"},
                      .max_norm = 1,
                      .max_epochs = 3,
                      .schedule = {.rate = 0.001, .min_rate = 0, .patience = 1000000},
                      .keep_every = 1};
  return s;
}

struct Options {
  CommonPtr common;
  const CLI::App* command = nullptr;
  std::string model, discriminator, data, out;
  bool resume = false;
  double checkpoint_every = TrainHooks{}.checkpoint_seconds;
  SettingFlags flags;
};

// The generator's own settings, but for how both are trained now.
Settings settings_of(const Options& o, const TrainSettings& generator) {
  Settings s = usual_settings();
  const LoopSettings loop = s.generator.loop;
  s.generator = generator;
  s.generator.limit = 0;
  s.generator.loop = loop;
  o.flags.apply(s);
  s.generator.loop.seed = o.common->seed;
  s.check();
  return s;
}

std::string progress_line(const TrainProgress& p) {
  char numbers[80];
  std::snprintf(numbers, sizeof numbers, "perplexity %.1f  reward %.3f",
                value_of(p.metrics, kTrainPerplexity), value_of(p.metrics, kTrainReward));
  return training_line(p, numbers);
}

void print_head() {
  std::printf("%-8s %10s %8s %8s %8s %8s %10s %10s %9s\n", "", "perplexity", "reward", "passed",
              "told", "words", "distinct-1", "distinct-2", "DAS ratio");
}

void print_row(const std::string& name, const Metrics& metrics) {
  const auto das = std::find_if(metrics.begin(), metrics.end(),
                                [](const Metric& m) { return m.name == adversary::kDas; });
  const auto of = [&](const char* column) { return value_of(metrics, column); };
  std::printf("%-8s %10s %8.3f %8.3f %8.3f %8.1f %10.4f %10.4f %9s\n", name.c_str(),
              perplexity_text(of(kValidPerplexity)).c_str(), of(adversary::kReward),
              of(adversary::kPassed), of(adversary::kTold), of(adversary::kWords),
              of(adversary::kDistinct1), of(adversary::kDistinct2),
              das == metrics.end() ? "-" : decimal(das->value, 3).c_str());
  std::fflush(stdout);
}

bool has_run(const std::string& out) {
  return std::filesystem::exists(in(out, "settings.json"));
}

void refuse_other_player(const Options& o, const std::string& player, const std::string& option,
                         const std::string& model) {
  if (model.empty() || adversary::began_with(o.out, player, model)) return;
  refuse_changed(*o.command, o.out, {{option, model}}, {{option, "another model"}});
}

struct Opened {
  std::unique_ptr<RunLock> lock;
  Settings settings;
  TrainData data;
};

TrainData data_of(const Options& o, const Settings& s, const std::string& words) {
  const Vocabulary vocabulary =
      load_vocabulary(file_inside(words, "vocab.txt"), s.generator.model.vocab_size);
  return load_train_data(o.data, {}, s.generator.examples, s.generator.limit.value_or(0),
                         &vocabulary);
}

Opened go_on(const Options& o) {
  Opened run{std::make_unique<RunLock>(o.out), adversary::load_settings_of(o.out), {}};
  take_given(*o.command, o.out, settings_of(o, run.settings.generator), run.settings);
  refuse_other_player(o, "generator", "model", o.model);
  refuse_other_player(o, "discriminator", "discriminator", o.discriminator);
  run.data = data_of(o, run.settings, o.out);
  if (run.data.fingerprint() != run.settings.generator.data_fingerprint) {
    throw DataError(o.data + ": not the dialogues that the run " + o.out +
                    " was started with: another --data, or files that have changed since");
  }
  change_settings(o.out, run.settings.generator.loop);
  std::printf("going on with %s\n", o.out.c_str());
  print_head();
  return run;
}

Metrics measure_before(const Options& o, const Opened& run, Device device) {
  auto loaded = adversary::load_players(o.model, o.discriminator, device);
  const adversary::Players players = loaded.players();
  Progress progress;
  return adversary::adversary_tasks(players, run.settings, run.data)[0].validate(
      [&](int64_t done, int64_t of) {
        progress.show("before  " + std::to_string(done) + " of " +
                      counted(static_cast<size_t>(of), "example"));
      });
}

Opened begin(const Options& o, Device device) {
  Opened run{nullptr, settings_of(o, adversary::settings_to_start_from(o.model)), {}};
  run.data = data_of(o, run.settings, o.model);
  run.settings.generator.data_fingerprint = run.data.fingerprint();
  check_training(run.settings.generator, run.data);
  print_head();
  const Metrics before = measure_before(o, run, device);
  print_row("before", before);
  make_directory(o.out);
  run.lock = std::make_unique<RunLock>(o.out);
  refuse_other_run(o.out);  // by somebody else, since we looked
  adversary::start(
      o.out, run.settings,
      {o.model, o.discriminator, before, json_text(provenance("adversary", *o.common))});
  return run;
}

Opened open(const Options& o, Device device) {
  if (o.resume && has_run(o.out)) return go_on(o);
  refuse_other_run(o.out);
  for (const auto& [option, folder] :
       {std::pair("--model", &o.model), std::pair("--discriminator", &o.discriminator)}) {
    if (folder->empty()) throw UsageError(std::string(option) + " is required to begin a run");
  }
  return begin(o, device);
}

void run(const Options& o) {
  const Device device = start(*o.common);
  const Opened run = open(o, device);
  Progress progress;
  TrainHooks hooks;
  hooks.stop = &stop_on_signals();
  hooks.on_step = [&](const TrainProgress& p) { progress.show(progress_line(p)); };
  hooks.on_validation = [&](int64_t done, int64_t of) {
    progress.show("validation  " + std::to_string(done) + " of " +
                  counted(static_cast<size_t>(of), "example"));
  };
  hooks.on_epoch = [&](const EpochLog& e, bool) {
    progress.done();
    print_row("epoch " + std::to_string(e.epoch), e.metrics);
  };
  hooks.on_warning = [&](const std::string& text) {
    progress.done();
    warn(text);
  };
  hooks.checkpoint_seconds = o.checkpoint_every;
  const bool finished = adversary::train_players(o.out, run.settings, run.data, device, hooks);
  progress.done();
  std::printf(finished ? "done: the generator of the lowest perplexity is in %s\n"
                       : "stopped: the same command with --resume goes on from here (%s)\n",
              o.out.c_str());
}

}  // namespace

void add_adversary(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand("adversary",
                                   "Train a generator against a discriminator that learns with it");
  c->footer(
      "A line of the table is an epoch: perplexity of the validation part; of responses drawn to "
      "its first contexts the mean p(real) (reward), the share that passes as real, their length "
      "and distinct-n; the share of real and drawn responses that the discriminator tells right; "
      "the DAS ratio on random:1.0. The model of the lowest perplexity is model.safetensors, that "
      "of epoch N epoch-N.safetensors (heed generate --epoch N).\n"
      "Example:\n"
      "  heed adversary --model runs/generator --discriminator runs/judge --data "
      "data/ubuntu-sample --out runs/adversary");
  o->common = add_common(*c, {.seed = "Seed of the order and of what is drawn"});
  o->command = c;
  c->add_option("--model", o->model, "Directory of a run or a model");
  c->add_option("--discriminator", o->discriminator,
                "Directory of a run of heed discriminate train, to begin with")
      ->option_text("DIR");
  c->add_option("--data", o->data,
                "Dialogues: a data directory (its train and valid parts are read). If not given: "
                "the bundled sample");
  c->add_option("--out", o->out, "Directory of the run, made if missing")->required();
  c->add_flag("--resume", o->resume,
              "Go on with the run in --out, with its own settings except --epochs, --rate and "
              "--max-norm");
  const std::set<std::string> of_loop = {"limit", "batch", "epochs", "rate", "max-norm"};
  o->flags.declare(
      *c, usual_settings(),
      [&](const Setting& s) {
        return s.group == adversary::kPlayers || of_loop.contains(s.option);
      },
      /*presets=*/false);
  add_checkpoint_every(*c, o->checkpoint_every);
  c->callback([o, c] {
    find_data(o->data, *c);
    run(*o);
  });
}

}  // namespace heed
