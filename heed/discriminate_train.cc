// `heed discriminate train`
#include <cstdio>
#include <filesystem>

#include "base/file.h"
#include "dialog/text/format.h"
#include "heed/bundled.h"
#include "heed/checks.h"
#include "heed/commands.h"
#include "heed/discriminate.h"
#include "heed/discriminator_flags.h"
#include "heed/messages.h"
#include "heed/open_run.h"
#include "heed/progress.h"
#include "heed/provenance.h"
#include "heed/results.h"
#include "heed/shared_options.h"
#include "heed/signals.h"
#include "train/lock.h"
#include "train/model_directory.h"

namespace heed {
namespace {

using adversarial::Settings;
using adversarial::TrainData;

struct Options {
  CommonPtr common;
  const CLI::App* command = nullptr;  // knows which options were given
  std::string data, out;
  bool resume = false;
  DiscriminatorFlags train;
  double checkpoint_every = TrainHooks{}.checkpoint_seconds;
};

struct Opened {
  std::unique_ptr<RunLock> lock;
  Settings settings;
  TrainData data;
};

Opened go_on(const Options& o, const std::vector<std::string>& directories) {
  Opened run{std::make_unique<RunLock>(o.out), adversarial::load_settings(o.out), {}};
  Settings& s = run.settings;
  take_given(*o.command, o.out, o.train.settings(o.common->seed), s);
  s.check();
  const Vocabulary words = load_vocabulary(file_inside(o.out, "vocab.txt"), s.model.vocab_size);
  run.data = load_train_data(directories, s, &words);
  if (run.data.fingerprint() != s.data_fingerprint) {
    throw DataError(o.data + ": not the dialogues that the run " + o.out +
                    " was started with: another --data, or files that have changed since");
  }
  change_settings(o.out, s.loop);
  return run;
}

Opened begin(const Options& o, const std::vector<std::string>& directories) {
  Opened run{nullptr, o.train.settings(o.common->seed), {}};
  Settings& s = run.settings;
  run.data = load_train_data(directories, s);
  s.model.vocab_size = run.data.vocabulary.size();
  s.data_fingerprint = run.data.fingerprint();
  check_memory(adversarial::parameter_count(s.model));
  make_directory(o.out);
  run.lock = std::make_unique<RunLock>(o.out);
  refuse_other_run(o.out);  // by somebody else, since we looked
  start_run(o.out, s, run.data.vocabulary, json_text(provenance("discriminate train", *o.common)));
  return run;
}

Opened open(const Options& o) {
  const std::vector<std::string> directories = comma_list("--data", o.data);
  if (o.resume && std::filesystem::exists(std::filesystem::path(o.out) / "settings.json")) {
    return go_on(o, directories);
  }
  refuse_other_run(o.out);
  return begin(o, directories);
}

void describe(const Opened& run, const std::string& out) {
  const adversarial::Config& m = run.settings.model;
  std::printf("%s: %ld words, %ld cells in each direction%s, against responses: %s\n", out.c_str(),
              static_cast<long>(m.vocab_size), static_cast<long>(m.hidden_size),
              m.response_only ? ", reads no context" : "", run.settings.negatives.name().c_str());
  std::printf("%s and %zu to validate, each real and fake\n",
              counted(run.data.train.passages.size(), "passage").c_str(),
              run.data.valid.passages.size());
  std::fflush(stdout);
  say_left_out(run.data.train, "train");
  say_left_out(run.data.valid, "valid");
}

std::string progress_line(const TrainProgress& p) {
  char numbers[80];
  std::snprintf(numbers, sizeof numbers, "accuracy %.3f",
                value_of(p.metrics, adversarial::kTrainAccuracy));
  return training_line(p, numbers);
}

void print_epoch(const EpochLog& e, bool best) {
  using namespace adversarial;
  std::printf("epoch %2d  loss %.4f  accuracy %.3f  valid loss %.4f  valid accuracy %.3f%s\n",
              e.epoch, e.loss, value_of(e.metrics, kTrainAccuracy), value_of(e.metrics, kValidLoss),
              value_of(e.metrics, kValidAccuracy), best ? "  best" : "");
  std::fflush(stdout);
}

void run(const Options& o) {
  const Device device = start(*o.common);
  const Opened run = open(o);
  describe(run, o.out);
  Progress progress;
  TrainHooks hooks;
  hooks.stop = &stop_on_signals();
  hooks.checkpoint_seconds = o.checkpoint_every;
  hooks.on_step = [&](const TrainProgress& p) { progress.show(progress_line(p)); };
  hooks.on_epoch = [&](const EpochLog& e, bool best) {
    progress.done();
    print_epoch(e, best);
  };
  hooks.on_warning = [&](const std::string& text) {
    progress.done();
    warn(text);
  };
  const bool finished = adversarial::train(o.out, run.settings, run.data, device, hooks);
  progress.done();
  if (finished) {
    std::printf("done: the best model is in %s\n", o.out.c_str());
  } else {
    std::printf("stopped: the same command with --resume goes on from here (%s)\n", o.out.c_str());
  }
}

}  // namespace

void add_discriminate_train(CLI::App& discriminate) {
  auto o = std::make_shared<Options>();
  CLI::App* c = discriminate.add_subcommand(
      "train", "Train a discriminator between real responses and others, or go on with one");
  c->footer(
      "Passages are runs of turns with 3 to 25 tokens each. Every passage is learned from twice in "
      "an "
      "epoch: as it was said, and with another response in place of its own, drawn anew each "
      "time. "
      "The best model by the loss on the validation part is kept; after three epochs without a "
      "better "
      "one the training ends. --resume goes on to the same result.\n"
      "Examples:\n"
      "  heed discriminate train --data data/ubuntu-sample --preset smoke --out runs/judge\n"
      "  heed discriminate train --data data/ubuntu-sample --preset smoke --response-only --out "
      "runs/control");
  o->command = c;
  o->common = add_common(*c, {.seed = "Seed of the first weights, the order and the replacements"});
  c->add_option(
      "--data", o->data,
      "Dialogues: a data directory (its train and valid parts are read), or several with "
      "commas: responses are replaced by others of the same one. If not given: the bundled sample");
  c->add_option("--out", o->out, "Directory of the run, made if missing")->required();
  o->train.declare_variant(*c);
  o->train.declare(*c);
  c->add_flag(
      "--resume", o->resume,
      "Go on with the run in --out, with its own settings except --epochs, --rate and --max-norm; "
      "starts one where there is none yet");
  add_checkpoint_every(*c, o->checkpoint_every);
  c->callback([o, c] {
    find_data(o->data, *c, Corpora::kSeveral);
    run(*o);
  });
}

}  // namespace heed
