#include <chrono>
#include <cstdio>

#include "base/file.h"
#include "base/machine.h"
#include "dialog/respond/structures.h"
#include "dialog/respond/task.h"
#include "dialog/text/format.h"
#include "heed/bundled.h"
#include "heed/checks.h"
#include "heed/commands.h"
#include "heed/inputs.h"
#include "heed/messages.h"
#include "heed/open_run.h"
#include "heed/progress.h"
#include "heed/provenance.h"
#include "heed/rank_team.h"
#include "heed/results.h"
#include "heed/shared_options.h"
#include "heed/signals.h"
#include "heed/train_flags.h"
#include "train/run_json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  CommonPtr common;
  const CLI::App* command = nullptr;
  std::string data, out, init;
  bool resume = false, detect_anomaly = false;
  double checkpoint_every = TrainHooks{}.checkpoint_seconds;
  int log_steps = 0, ranks = 0;
  std::optional<int> pieces;
  TrainFlags flags;
};

TrainSettings settings_of(const Options& o, const RankTeam& team) {
  TrainSettings s = o.flags.model_settings();
  s.loop.seed = o.common->seed;
  s.loop.log_steps = o.log_steps;
  s.init = o.init;
  s.loop.pieces = team.pieces(o.pieces);
  return s;
}

std::string progress_line(const TrainProgress& p) {
  char numbers[80];
  std::snprintf(numbers, sizeof numbers, "perplexity %.1f  rate %g",
                value_of(p.metrics, kTrainPerplexity), p.rate);
  return training_line(p, numbers);
}

// A run may go on with other arithmetic than it began with: its numbers are then those of neither.
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
       " with " + now + ": not the numbers of either alone");
}

// What --init gave, and what it did not.
void print_taken(const std::string& out, const TrainSettings& settings) {
  const TakenWeights weights = taken_weights(out, settings);
  const size_t all = weights.taken.size() + weights.drawn.size();
  std::printf("%zu of %zu parameters begin as in %s\n", weights.taken.size(), all,
              settings.init.c_str());
  const auto list = [](const char* what, const std::vector<std::string>& names) {
    if (names.empty()) return;
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    std::printf("  %s: %s\n", what, text.c_str());
  };
  list("drawn by the seed", weights.drawn);
  list("there, and of no use here", weights.unused);
}

void describe(const OpenRun& run, const std::string& out, int64_t preset_batch, int ranks) {
  const ModelConfig& m = run.settings.model;
  if (!run.is_new) std::printf("going on with %s\n", out.c_str());
  std::printf("%s, %s x %ld, vocabulary %ld: %s\n", std::string(m.structure.name).c_str(),
              counted(m.num_layers, "layer").c_str(), static_cast<long>(m.hidden_size),
              static_cast<long>(m.vocab_size),
              size_of_model(static_cast<int64_t>(parameter_count(m))).c_str());
  std::printf("%zu training and %s, %s left out (no response)\n", run.data.train.size(),
              counted(run.data.valid.size(), "validation example").c_str(),
              counted(run.data.left_out, "dialogue").c_str());
  if (run.is_new && !run.settings.init.empty()) print_taken(out, run.settings);
  const int64_t batch = run.settings.loop.batch_size;
  if (run.is_new && batch < preset_batch) {
    std::printf("batches of %ld instead of %ld, as these are few (--batch decides otherwise)\n",
                static_cast<long>(batch), static_cast<long>(preset_batch));
  }
  if (run.settings.loop.pieces > 1) {
    std::printf("batches in %d pieces, on %s\n", run.settings.loop.pieces,
                counted(static_cast<size_t>(ranks), "rank").c_str());
  }
  std::fflush(stdout);
}

void print_epoch(const EpochLog& e, bool best, int64_t words) {
  const bool wrong = is_worse_than_a_guess(valid_perplexity(e), words);
  const char* note = wrong ? "  worse than a uniform guess" : best ? "  best" : "";
  std::printf("epoch %2d  loss %7.3f  train perplexity %s  valid perplexity %s  rate %g%s\n",
              e.epoch, e.loss, perplexity_text(train_perplexity(e)).c_str(),
              perplexity_text(valid_perplexity(e)).c_str(), e.rate, note);
  std::fflush(stdout);
}

// Throws Error where the model is worse than a guess, so that what stands behind `&&` does not
// begin.
void print_end(const std::string& out, const TrainSettings& settings, bool worked) {
  const std::vector<EpochLog> log = load_log(out);
  if (!worked) {
    const bool all = static_cast<int>(log.size()) >= settings.loop.max_epochs;
    std::printf("nothing was left to do: the run has had its %s%s\n",
                counted(log.size(), "epoch").c_str(),
                all ? "; a larger --epochs goes on" : ", after which the rate was too small");
  }
  const double best = best_perplexity(log);
  if (is_worse_than_a_guess(best, settings.model.vocab_size)) {
    char text[300];
    std::snprintf(text, sizeof text,
                  "ended, but something went wrong: the best validation perplexity is %.4g, and a "
                  "uniform guess among the words has %ld; try a smaller --rate, more dialogues or "
                  "more epochs",
                  best, static_cast<long>(settings.model.vocab_size));
    throw Error(text + (" (the model is in " + out + ")"));
  }
  std::printf("done: the best model is in %s\n", out.c_str());
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Done {
  bool worked = false;  // there was something to do
  int64_t steps = 0;    // and from the first one on
  int64_t bytes = 0;
  double exchanging = 0, began = 0;
};

// What rank 0 shows and says.
void show_progress(TrainHooks& hooks, Progress& progress, Done& done, int64_t words) {
  hooks.on_step = [&, ranks = hooks.ranks](const TrainProgress& p) {
    done.worked = true;
    if (done.steps++ == 0) done = {true, 1, ranks->bytes_sent(), ranks->seconds(), now()};
    progress.show(progress_line(p));
  };
  hooks.on_validation = [&](int64_t of_them, int64_t examples) {
    done.worked = true;
    progress.show("validation  " + std::to_string(of_them) + " of " + counted(examples, "example"));
  };
  hooks.on_epoch = [&progress, words](const EpochLog& e, bool best) {
    progress.done();
    print_epoch(e, best, words);
  };
  hooks.on_warning = [&](const std::string& text) {
    progress.done();
    warn(text);
  };
}

// What the exchange of gradients costs, so that one can tell whether more ranks pay.
void print_traffic(const Ranks& ranks, const Done& done) {
  if (ranks.size() == 1 || done.steps < 2) return;
  const double seconds = now() - done.began;
  std::printf(
      "rank 0 sent %s a step%s, and was %.0f%% of the time with the others or waiting for them%s\n",
      size_text(static_cast<double>((ranks.bytes_sent() - done.bytes) / (done.steps - 1))).c_str(),
      ranks.bytes_from_gpu() > 0 ? " from GPU to GPU" : "",
      100 * (ranks.seconds() - done.exchanging) / seconds,
      ranks.bytes_from_gpu() > 0 ? ", the GPU not counted" : "");
}

// What each rank does.
void train_on(const Options& o, const OpenRun& run, const std::atomic<bool>& stop, Ranks& ranks,
              Device device) {
  TrainHooks hooks;
  hooks.ranks = &ranks;
  hooks.stop = &stop;
  hooks.detect_anomaly = o.detect_anomaly;
  hooks.checkpoint_seconds = o.checkpoint_every;
  Progress progress;
  Done done;
  if (ranks.first()) {
    show_progress(hooks, progress, done, run.settings.model.vocab_size);
  }
  const bool finished = train(o.out, run.settings, run.data, device, hooks);
  progress.done();
  if (!ranks.first()) return;
  print_traffic(ranks, done);
  if (finished) {
    print_end(o.out, run.settings, done.worked);
  } else {
    std::printf("stopped: the same command with --resume goes on from here (%s)\n", o.out.c_str());
  }
}

// Where its weight was asked for.
void note_idle_attention_loss(const Options& o, const OpenRun& run) {
  const TrainSettings& s = run.settings;
  const bool asked = run.is_new && o.command->count("--attention-weight") > 0;
  if (!asked || s.attention_weight == 0 || has_distractions(s, run.data)) return;
  note(
      "the attention loss has nothing to act on: nothing is inserted (--insert-prob 0), and no "
      "turn "
      "of the dialogues is marked as a distraction");
}

std::vector<Given> given_settings(const TrainSettings& s) {
  return given_options(as_options(s));
}

void run(const Options& o) {
  const RankTeam team(o.ranks, *o.common);
  team.start();
  const TrainSettings settings = settings_of(o, team);
  team.check_alike(given_settings(settings));
  OpenRun run = team.prepare([&] {
    return open_run({*o.command, o.data, o.out, o.resume, settings,
                     json_text(provenance("train", *o.common)), team.size(), team.first(),
                     team.reads()});
  });
  team.share(run.data);
  const std::atomic<bool>& stop = stop_on_signals();
  if (team.first()) {  // from here on a signal is waited for
    note_idle_attention_loss(o, run);
    if (!run.is_new) note_other_arithmetic(o.out, *o.common);
    describe(run, o.out, settings.loop.batch_size, team.size());
  }
  team.run([&](Ranks& ranks, Device device) { train_on(o, run, stop, ranks, device); }, stop);
}

}  // namespace

void add_train(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand("train", "Train a model on dialogues, or go on with a training");
  c->footer(
      "Ctrl-C finishes the step and writes a checkpoint; --resume goes on to the same result.\n"
      "Of few dialogues, presets with adam take smaller batches unless --batch is given, so that "
      "an "
      "epoch has 100 steps.\n"
      "Example: a model that learns to look past distractions, and its baseline\n"
      "  heed train --data data/ubuntu-sample --out runs/trained --preset smoke --insert-prob 0.7\n"
      "  heed train --data data/ubuntu-sample --out runs/baseline --preset smoke");
  o->common = add_common(*c, {.seed = "Seed of the first weights, the order and the distractions"});
  o->command = c;
  c->add_option("--data", o->data,
                "Dialogues: a data directory (its train and valid parts are read). If not given: "
                "the bundled sample");
  c->add_option("--out", o->out, "Directory of the run, made if missing")->required();
  o->flags.declare_model(*c);
  o->flags.declare(*c);
  c->add_option("--init", o->init,
                "Begin with the weights of this model or run, where names and shapes are the same, "
                "and with its vocabulary; says which were taken and which were not")
      ->option_text("RUN");
  add_ranks(*c, o->ranks);
  add_pieces(*c, o->pieces);
  c->add_flag("--resume", o->resume,
              "Go on with the run in --out, with its own settings except --epochs, --rate and "
              "--max-norm; starts one where there is none yet");
  add_checkpoint_every(*c, o->checkpoint_every);
  c->add_option("--log-steps", o->log_steps,
                "Write loss, perplexity, rate and gradient norm of every so many steps to "
                "steps.jsonl of the run, for heed log, plot and watch; 0: of none")
      ->check(whole_number(0, 1000000000))
      ->capture_default_str();
  c->add_flag("--detect-anomaly", o->detect_anomaly,
              "Look at every number of every op, and name the op that makes the first one that is "
              "infinite or not a number; slower");
  c->callback([o] {
    find_data(o->data, *o->command);
    run(*o);
  });
}

}  // namespace heed
