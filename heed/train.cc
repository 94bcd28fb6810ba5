#include <cstdio>
#include <filesystem>

#include "dialog/trainer.h"
#include "heed/commands.h"
#include "heed/progress.h"
#include "heed/signals.h"
#include "heed/train_flags.h"
#include "tensor/file.h"

namespace heed {
namespace {

struct Options {
  CommonPtr common;
  const CLI::App* command = nullptr;
  std::string data, out, structure = "static-ui";
  bool resume = false, detect_anomaly = false;
  double insert_prob = 0, attention_weight = 1;
  double checkpoint_every = TrainHooks{}.checkpoint_seconds;
  TrainFlags flags;
};

TrainSettings settings_of(const Options& o) {
  TrainSettings s = o.flags.settings();
  s.model.structure = Structure::parse(o.structure);
  s.insert_prob = o.insert_prob;
  s.attention_weight = o.attention_weight;
  s.seed = o.common->seed;
  s.check();
  return s;
}

std::string progress_line(const TrainProgress& p) {
  char text[200];
  std::snprintf(text, sizeof text,
                "epoch %d/%d  step %ld/%ld  loss %.3f  perplexity %.1f  rate %g  %s tokens/s  "
                "%s left in epoch",
                p.epoch, p.max_epochs, static_cast<long>(p.step), static_cast<long>(p.steps),
                p.loss, p.perplexity, p.rate, format_rate(p.tokens_per_s).c_str(),
                format_seconds(p.seconds_left).c_str());
  return text;
}

void describe(const TrainSettings& s, const TrainData& data) {
  DialogModel model(s.model, 1);
  std::printf("%s, %ld layers x %ld, vocabulary %d: %.1f million parameters\n",
              std::string(s.model.structure.name).c_str(), static_cast<long>(s.model.num_layers),
              static_cast<long>(s.model.hidden_size), data.vocabulary.size(),
              static_cast<double>(parameter_count(model)) / 1e6);
  std::printf("%zu training and %zu validation examples, %ld dialogues left out (too short)\n",
              data.train.size(), data.valid.size(), static_cast<long>(data.left_out));
}

// What may change in the middle of a run: how long it is, and how far a step goes. The rest of the
// run is trained with it, so it is kept; the halvings of the rate so far stay.
void change_settings(const Options& o, TrainSettings& settings) {
  if (o.flags.epochs) settings.max_epochs = *o.flags.epochs;
  if (o.flags.rate) settings.schedule.rate = *o.flags.rate;
  if (o.flags.max_norm) settings.max_norm = *o.flags.max_norm;
  settings.check();
  save_settings(o.out, settings);
}

// Settings and data of a new run, or of the one that goes on.
std::pair<TrainSettings, TrainData> open_run(const Options& o) {
  const bool exists = std::filesystem::exists(std::filesystem::path(o.out) / "settings.json");
  if (exists && !o.resume) {
    throw UsageError(o.out +
                     ": holds a run already; --resume goes on with it, or take another --out");
  }
  if (exists) {
    TrainSettings settings = load_settings(o.out);
    const auto words = Vocabulary::load(file_inside(o.out, "vocab.txt"));
    TrainData data = load_train_data(o.data, 0, settings.examples, o.flags.limit, &words);
    if (data.fingerprint() != settings.data_fingerprint) {
      throw DataError(o.data + ": not the dialogues that the run " + o.out + " was started with");
    }
    change_settings(o, settings);
    std::printf("going on with %s\n", o.out.c_str());
    return {settings, std::move(data)};
  }
  TrainSettings settings = settings_of(o);
  TrainData data =
      load_train_data(o.data, settings.model.vocab_size, settings.examples, o.flags.limit);
  settings.model.vocab_size = data.vocabulary.size();
  settings.data_fingerprint = data.fingerprint();
  check_memory(settings.model);
  start_run(o.out, settings, data.vocabulary);
  return {settings, std::move(data)};
}

void run(const Options& o) {
  const Device device = start(*o.common);
  make_directory(o.out);
  const RunLock lock(o.out);
  const auto [settings, data] = open_run(o);
  describe(settings, data);
  std::fflush(stdout);

  Progress progress;
  TrainHooks hooks;
  hooks.stop = &stop_on_signals();
  hooks.on_step = [&](const TrainProgress& p) { progress.show(progress_line(p)); };
  hooks.on_epoch = [&](const EpochLog& e, bool best) {
    progress.done();
    std::printf(
        "epoch %2d  loss %7.3f  train perplexity %8.2f  valid perplexity %8.2f  rate %g%s\n",
        e.epoch, e.loss, e.train_perplexity, e.valid_perplexity, e.rate, best ? "  best" : "");
    std::fflush(stdout);
  };
  hooks.on_warning = [&](const std::string& text) {
    progress.done();
    std::fprintf(stderr, "heed: warning: %s\n", text.c_str());
  };
  hooks.detect_anomaly = o.detect_anomaly;
  hooks.checkpoint_seconds = o.checkpoint_every;
  const bool finished = train(o.out, settings, data, device, hooks);
  progress.done();
  std::printf(finished ? "done: the best model is in %s\n"
                       : "stopped: the same command with --resume goes on from here (%s)\n",
              o.out.c_str());
}

}  // namespace

void add_train(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand("train", "Train a model on dialogues");
  c->footer(
      "Example: a model that learns to look past distractions, and its baseline\n"
      "  heed train --data data/ubuntu-sample --out runs/trained  --insert-prob 0.7\n"
      "  heed train --data data/ubuntu-sample --out runs/baseline --insert-prob 0\n"
      "Ctrl-C finishes the step and writes a checkpoint; --resume goes on to the same result.");
  o->common = add_common(*c);
  o->command = c;
  c->add_option("--data", o->data, "Directory with train.jsonl and valid.jsonl (or .jsonl.gz)")
      ->required();
  c->add_option("--out", o->out, "Directory of the run, made if missing")->required();
  c->add_flag("--resume", o->resume,
              "Go on with the run in --out, with its own settings, except --epochs,\n"
              "--rate and --max-norm; starts one where there is none yet");
  c->add_option("--checkpoint-every", o->checkpoint_every,
                "Seconds between checkpoints within an epoch; 0: after every step")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  c->add_flag("--detect-anomaly", o->detect_anomaly,
              "Look at every number of every op, and name the op that makes the\n"
              "first one that is infinite or not a number; slower");
  c->add_option("--structure", o->structure, "non-hier, static, static-ui, dynamic or dynamic-ui")
      ->capture_default_str();
  c->add_option("--insert-prob", o->insert_prob,
                "Probability with which each of two distractions is inserted")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  c->add_option("--attention-weight", o->attention_weight,
                "Weight of the attention loss; 0 leaves it out")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  o->flags.declare(*c);
  c->callback([o] { run(*o); });
}

}  // namespace heed
