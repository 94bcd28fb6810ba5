#include "heed/work_flags.h"

#include <algorithm>

#include "base/path.h"
#include "dialog/respond/run.h"
#include "experiments/engine/runs/failure.h"
#include "experiments/engine/runs/overview.h"
#include "experiments/engine/runs/workers.h"
#include "heed/command.h"
#include "heed/progress.h"
#include "heed/signals.h"
#include "tensor/parallel.h"
#include "train/run_directory.h"

namespace heed {
namespace {

using Kind = WorkerNews::Kind;

// A remark about a number of the validation; empty if it is no perplexity.
std::string doubt(const Work& work, const std::string& run, double perplexity) {
  const bool worse = work.words && is_worse_than_a_guess(perplexity, work.words(run));
  return worse ? "  worse than a uniform guess" : "";
}
std::string doubt_of_best(const Work& work, const std::string& run) {
  if (!work.words) return "";
  const std::string directory = work.plan.directory({.name = run});
  if (!has_file(directory, "log.jsonl")) return "";  // not trained
  return doubt(work, run, best_perplexity(load_log(directory)));
}

// Lines for every epoch, finished run and warning, for people who read them later.
void print_news(const WorkerNews& news, const Overview& overview, const Work& work) {
  const int width = work.plan.longest_name();
  if (news.kind == Kind::kEpoch) {
    std::printf("%-*s epoch %2d of %d  valid %s %s  %s%s\n", width, news.run.c_str(), news.epoch,
                news.max_epochs, work.plan.metric_name.c_str(),
                (work.words ? perplexity_text(news.metric) : decimal(news.metric, 3)).c_str(),
                format_seconds(news.seconds).c_str(), doubt(work, news.run, news.metric).c_str());
  } else if (news.kind == Kind::kFinished) {
    std::printf("%-*s done: %zu of %zu%s\n", width, news.run.c_str(), overview.done(),
                overview.all(), doubt_of_best(work, news.run).c_str());
  } else if (news.kind == Kind::kFailed) {
    std::printf("%-*s failed: %s\n", width, news.run.c_str(), printable(news.message).c_str());
  } else if (news.kind == Kind::kWarning) {
    warn(news.run + ": " + news.message);
  }
  std::fflush(stdout);
}

// Returns the error of the worker processes.
std::vector<std::string> run_all(const Work& work, Overview& overview,
                                 const std::atomic<bool>& stop) {
  Progress progress;
  const auto show = [&] { progress.show(overview.line(format_seconds)); };
  const WorkFlags& flags = work.flags;
  const LeaseOptions lease{std::min(10.0, flags.dead_after / 6), flags.dead_after};
  const auto body = [&](const TellNews& tell) {
    const auto of_rank = [&](Ranks& ranks, Device device) {
      heed::work(work.plan, {device, lease, flags.checkpoint_seconds, &stop, &ranks,
                             ranks.first() ? tell : TellNews()});
    };
    work.team.run(of_rank, stop, flags.jobs);
  };
  const auto on_news = [&](const WorkerNews& news) {
    overview.hear(news);
    if (news.kind == Kind::kBegun || news.kind == Kind::kTraining ||
        news.kind == Kind::kMeasuring || news.kind == Kind::kWaiting) {
      return show();
    }
    progress.done();
    print_news(news, overview, work);
  };
  const auto on_death = [&](int process, const std::string& how) {
    return overview.mourn(process, how);
  };
  if (!work.team.launched()) {
    return run_workers(flags.jobs, body, {on_news, show, on_death}, stop);
  }
  body(on_news);
  progress.done();
  return {};
}

}  // namespace

void WorkFlags::declare(CLI::App& c) {
  const InGroup group(c, kWork);
  option(c, "--jobs", jobs,
         "Number of worker processes, each with a run of its own, that share the cores (--threads "
         "0); on N cores --jobs N is faster than --jobs 1",
         whole_number(1, 1024));
  c.add_option("--shard", shard, "i/n: only every n-th run, starting with the i-th");
  add_checkpoint_every(c, checkpoint_seconds);
  option(c, "--dead-after", dead_after,
         "Take over a run if its worker on another machine shows no activity for this many "
         "seconds; use the same number on all machines",
         number(1, 86400));
}

// The work of one process (of a launcher's ranks: the first one) before and after the runs.
static void lead(const Work& work, const std::atomic<bool>& stop) {
  for (const PlannedRun& run : work.plan.runs) clear_failure(work.plan.directory(run));
  Overview overview(work.plan, work.flags.jobs);
  std::printf("%s, %zu of them done; %s\n", counted(overview.all(), "run").c_str(), overview.done(),
              work.data.c_str());
  const bool some_left = overview.done() < overview.all();
  std::vector<std::string> problems;
  if (some_left || work.team.launched()) problems = run_all(work, overview, stop);
  overview.look();
  for (const std::string& problem : problems) std::printf("%s\n", problem.c_str());
  if (overview.done() > 0) work.write_tables();
  if (overview.done() == overview.all()) return;
  const std::vector<std::string> failures = overview.failures();
  if (!failures.empty()) throw Error(failures[0]);
  if (!stop) {
    throw Error(work.plan.out + ": " + (problems.empty() ? "workers ended early" : problems[0]));
  }
  std::printf("stopped: %zu of %s done; the same command continues\n", overview.done(),
              counted(overview.all(), "run").c_str());
}

void work_on(const Work& work) {
  const std::atomic<bool>& stop = stop_on_signals();
  if (work.team.first()) return lead(work, stop);
  Overview overview(work.plan, 1);
  run_all(work, overview, stop);
}

void check_work(const WorkFlags& flags, const Common& common, const RankTeam& team) {
  if (team.launched()) {
    if (flags.jobs == 1) return static_cast<void>(team.start());
    throw UsageError("--jobs " + std::to_string(flags.jobs) +
                     ": the processes of a launcher do one run together; leave the option out");
  }
  if (common.device.rfind("cuda", 0) != 0) {
    start(common);
    return;
  }
  const std::atomic<bool> stop{false};
  std::string problem;
  run_workers(
      1, [&](const TellNews&) { start(common); },
      {[&](const WorkerNews& news) { problem = news.message; }}, stop);
  if (!problem.empty()) throw DeviceError(problem);
}

}  // namespace heed
