#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

#include "dialog/text/format.h"
#include "dialog/text/terminal.h"
#include "experiments/distraction/paper.h"
#include "experiments/distraction/tables.h"
#include "experiments/distraction/times.h"
#include "experiments/distraction/worker.h"
#include "heed/checks.h"
#include "heed/commands.h"
#include "heed/messages.h"
#include "heed/progress.h"
#include "heed/provenance.h"
#include "heed/signals.h"
#include "heed/train_flags.h"
#include "heed/workers.h"
#include "tensor/parallel.h"

namespace heed {
namespace {

struct Options {
  CommonPtr common;
  std::string data, out, shard = "1/1";
  int seeds = 1, jobs = 1;
  Selection selection;
  LeaseOptions lease;
  double checkpoint_seconds = TrainHooks{}.checkpoint_seconds;
  TrainFlags flags;
  ExperimentSettings settings;
};

void parse_shard(const std::string& text, Selection& selection) {
  const char* const end = text.data() + text.size();
  const auto i = std::from_chars(text.data(), end, selection.shard);
  if (i.ec == std::errc() && i.ptr != end && *i.ptr == '/') {
    const auto n = std::from_chars(i.ptr + 1, end, selection.shards);
    if (n.ec == std::errc() && n.ptr == end) return;
  }
  throw UsageError("shard: expected i/n, such as 1/2, got '" + text + "'");
}

// What is known of all runs, and one line about it.
class Overview {
 public:
  Overview(const Options& o, const std::vector<ExperimentRun>& runs)
      : out_(o.out), max_epochs_(o.flags.settings().loop.max_epochs), jobs_(o.jobs), runs_(runs) {}

  void hear(const WorkerNews& news) {
    using Kind = WorkerNews::Kind;
    if (news.kind == Kind::kTraining || news.kind == Kind::kEvaluating) {
      running_[news.run] = news;
    } else if (news.kind == Kind::kFailed || news.kind == Kind::kFinished) {
      running_.erase(news.run);
    }
    waiting_ = news.kind == Kind::kWaiting && running_.empty();
    if (news.kind == Kind::kEpoch || news.kind == Kind::kFinished || waiting_) look();
    if (news.kind == Kind::kFailed) failed_.insert(news.run + ": " + news.message);
  }

  // Looks into the folder, where other machines may have finished runs.
  void look() {
    done_ = 0;
    progress_.clear();
    for (const ExperimentRun& run : runs_) {
      const std::string directory = run_directory(out_, run);
      RunProgress p{std::string(run.get().structure.name), is_evaluated(directory), 0,
                    load_times(directory)};
      p.epochs_done = static_cast<double>(p.times.epochs.size());
      done_ += p.finished;
      progress_.push_back(std::move(p));
    }
  }

  size_t done() const { return done_; }
  size_t all() const { return runs_.size(); }
  std::string directory(const std::string& run) const {
    return (std::filesystem::path(out_) / run).string();
  }
  const std::set<std::string>& failed() const { return failed_; }

  // "5 of 23 done | static-p0.5-seed1 epoch 2/3 40% perplexity 123.4 | about 1h10m left"
  std::string line() {
    std::string text = std::to_string(done_) + " of " + std::to_string(runs_.size()) + " done";
    for (const auto& [name, news] : running_) text += " | " + name + " " + describe(news);
    if (waiting_) text += " | waiting for runs that other workers have";
    const double left = time_left();
    if (left > 0) text += " | about " + format_seconds(left) + " left";
    return text;
  }

 private:
  static std::string describe(const WorkerNews& news) {
    char text[100];
    if (news.kind == WorkerNews::Kind::kEvaluating) {
      std::snprintf(text, sizeof text, "test %s %.0f%%", news.message.c_str(), 100 * news.part);
    } else {
      std::snprintf(text, sizeof text, "epoch %d/%d %.0f%% perplexity %.1f", news.epoch,
                    news.max_epochs, 100 * news.part, news.perplexity);
    }
    return text;
  }

  // From finished epochs, and as long as there is none from the running ones.
  double time_left() {
    std::vector<RunProgress> now = progress_;
    for (size_t i = 0; i < now.size(); ++i) {
      const auto found = running_.find(runs_[i].name());
      if (found == running_.end()) continue;
      const WorkerNews& news = found->second;
      const bool training = news.kind == WorkerNews::Kind::kTraining;
      now[i].epochs_done = training ? news.epoch - 1 + news.part : max_epochs_;
      if (training && news.seconds > 0 && now[i].times.epochs.empty()) {
        now[i].times.epochs.push_back(news.seconds);
      }
    }
    return seconds_left(now, max_epochs_, jobs_);
  }

  const std::string out_;
  const int max_epochs_, jobs_;
  const std::vector<ExperimentRun>& runs_;
  std::vector<RunProgress> progress_;
  std::map<std::string, WorkerNews> running_;
  std::set<std::string> failed_;
  size_t done_ = 0;
  bool waiting_ = false;
};

// A line for every epoch and run that ends and for warnings, for people who read it later.
void print_news(const WorkerNews& news, const Overview& overview, int64_t words) {
  const char* worse = "  worse than a uniform guess";
  if (news.kind == WorkerNews::Kind::kEpoch) {
    std::printf("%-28s epoch %2d of %d  valid perplexity %s  %s%s\n", news.run.c_str(), news.epoch,
                news.max_epochs, perplexity_text(news.perplexity).c_str(),
                format_seconds(news.seconds).c_str(),
                is_worse_than_a_guess(news.perplexity, words) ? worse : "");
  } else if (news.kind == WorkerNews::Kind::kFinished) {
    const double best = best_perplexity(load_log(overview.directory(news.run)));
    std::printf("%-28s done: %zu of %zu%s\n", news.run.c_str(), overview.done(), overview.all(),
                is_worse_than_a_guess(best, words) ? worse : "");
  } else if (news.kind == WorkerNews::Kind::kFailed) {
    std::printf("%-28s failed: %s\n", news.run.c_str(), printable(news.message).c_str());
  } else if (news.kind == WorkerNews::Kind::kWarning) {
    warn(news.run + ": " + news.message);
  }
  std::fflush(stdout);
}

void write_tables(const std::string& out) {
  const std::string folder = (std::filesystem::path(out) / "tables").string();
  const Results results = load_results(out);
  save_tables(folder, all_tables(results, infer(results)));
  save_claims(folder, check_claims(results));
  std::printf("the tables are in %s\n", folder.c_str());
}

// Has the workers work until all runs are finished, or until they are stopped.
std::vector<std::string> work_on(const Options& o, const ExperimentData& data,
                                 const std::vector<ExperimentRun>& runs, Overview& overview,
                                 const std::atomic<bool>& stop) {
  Progress progress;
  const auto on_news = [&](const WorkerNews& news) {
    using Kind = WorkerNews::Kind;
    overview.hear(news);
    if (news.kind == Kind::kTraining || news.kind == Kind::kEvaluating ||
        news.kind == Kind::kWaiting) {
      progress.show(overview.line());
    } else {
      progress.done();
      print_news(news, overview, data.train.vocabulary.size());
    }
  };
  const auto body = [&](const TellNews& tell) {
    work({o.out, runs, o.lease, o.checkpoint_seconds, &stop, tell}, o.settings, data,
         start(*o.common));
  };
  return run_workers(
      o.jobs, body, on_news, [&] { progress.show(overview.line()); }, stop);
}

// Complains of a device that cannot be used, before anything is written: CUDA in a process of its
// own, because the parent of the workers must not have used it.
void check_device(const Common& common) {
  if (common.device.rfind("cuda", 0) != 0) {
    start(common);
    return;
  }
  const std::atomic<bool> stop{false};
  std::string problem;
  run_workers(
      1, [&](const TellNews&) { start(common); },
      [&](const WorkerNews& news) { problem = news.message; }, [] {}, stop);
  if (!problem.empty()) throw DeviceError(problem);
}

void run(Options& o) {
  set_num_threads(o.common->threads);
  check_device(*o.common);
  o.settings.device = o.common->device.substr(0, o.common->device.find(':'));
  o.settings.matmul = o.common->matmul;
  o.settings.made_with = made_with();
  parse_shard(o.shard, o.selection);
  const auto runs = select_runs(o.common->seed, o.seeds, o.selection);
  o.settings.train = o.flags.settings();
  o.settings.limit = o.flags.limit;
  const ExperimentData data = load_experiment_data(o.data, o.settings);
  open_experiment(o.out, o.settings, data);

  Overview overview(o, runs);
  overview.look();
  std::printf("%s, %zu of them done; %zu training, %zu validation and %s\n",
              counted(runs.size(), "run").c_str(), overview.done(), data.train.train.size(),
              data.train.valid.size(), counted(data.test.size(), "test example").c_str());
  const std::atomic<bool>& stop = stop_on_signals();
  std::vector<std::string> problems;
  if (overview.done() < overview.all()) problems = work_on(o, data, runs, overview, stop);
  overview.look();
  for (const std::string& problem : problems) std::printf("%s\n", problem.c_str());
  if (overview.done() > 0) write_tables(o.out);
  if (overview.done() == overview.all()) return;
  if (!overview.failed().empty()) throw Error(*overview.failed().begin());
  if (!stop) throw Error(o.out + ": " + (problems.empty() ? "workers ended early" : problems[0]));
  std::printf("stopped: %zu of %s done; the same command goes on\n", overview.done(),
              counted(overview.all(), "run").c_str());
}

void declare_work(CLI::App& c, Options& o) {
  const char* work = "Work";
  c.add_option("--jobs", o.jobs,
               "Worker processes, each with a run of its own; on N cores --jobs N --threads 1 is "
               "faster than --jobs 1 --threads N")
      ->check(whole_number(1, 1024))
      ->capture_default_str()
      ->group(work);
  c.add_option("--only", o.selection.only,
               "Only the variants that fit, with * and ?: \"static-ui*\", \"*-p0.7\"")
      ->group(work);
  c.add_option("--shard", o.shard, "i/n: only every n-th run, from the i-th on")->group(work);
  c.add_option("--seeds", o.seeds, "Train every variant with this many seeds, from --seed on")
      ->capture_default_str()
      ->group(work);
  c.add_option("--checkpoint-every", o.checkpoint_seconds,
               "Seconds between checkpoints within an epoch; 0: after every step")
      ->check(number_from(0))
      ->capture_default_str()
      ->group(work);
  c.add_option("--dead-after", o.lease.dead_after,
               "Take over a run whose worker on another machine gives no sign of life for so many "
               "seconds; the same for all machines")
      ->check(number(1, 86400))
      ->capture_default_str()
      ->group(work);
}

}  // namespace

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
      "  heed report --runs runs/smoke --html report.html");
  o->common = add_common(*c, {.seed = "The first seed; see --seeds"});
  c->add_option("--data", o->data, "Directory with train, valid and test (.jsonl or .jsonl.gz)")
      ->required();
  c->add_option("--out", o->out, "Directory of the experiment, made if missing")->required();
  declare_work(*c, *o);
  o->flags.declare(*c);
  const char* tests = "Tests";
  c->add_option("--test-limit", o->settings.test_limit,
                "Only the first dialogues of the test part; 0: as --limit")
      ->capture_default_str()
      ->group(tests);
  c->add_option("--max-length", o->settings.max_response, "Longest generated response, in words")
      ->check(whole_number(1, 1000))
      ->capture_default_str()
      ->group(tests);
  c->add_option("--frequent", o->settings.phrases.frequent, "Utterances of the frequent: sets")
      ->capture_default_str()
      ->group(tests);
  c->add_option("--rare", o->settings.phrases.rare, "Utterances of the rare: sets")
      ->capture_default_str()
      ->group(tests);
  c->callback([o] {
    o->lease.beat = std::min(10.0, o->lease.dead_after / 6);
    run(*o);
  });
}

}  // namespace heed
