#include "experiments/engine/runs/worker.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/file.h"
#include "experiments/engine/runs/failure.h"
#include "experiments/engine/runs/times.h"

namespace heed {
namespace {

struct Stopped {};  // thrown through work that should be given up

struct EpochClock {
  double begin = now();
  int64_t steps = 0;
  bool whole = true;
};

// Thrown when a rank can neither continue nor tell the others.
struct TeamEnds {
  std::string why;
};

class Worker {
 public:
  Worker(const Plan& plan, const WorkerOptions& options)
      : plan_(plan),
        options_(options),
        ranks_(options.ranks ? *options.ranks : alone()),
        office_(options.lease) {}

  bool work() {
    if (!ranks_.first()) return follow();
    const bool done = lead();
    ranks_.of_first(kNoMore);
    return done;
  }

 private:
  static constexpr const char* kNoMore = "";

  bool lead() {
    while (!stopping()) {
      bool some_left = false;
      for (const PlannedRun& run : plan_.runs) {
        if (stopping()) return false;
        some_left |= !settle(run);
      }
      if (stopping()) return false;
      if (!some_left) return true;
      tell({.kind = WorkerNews::Kind::kWaiting});
      for (int i = 0; i < 20 && !stopping(); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
    }
    return false;
  }

  // The other ranks help with the runs that the first one names.
  bool follow() {
    for (std::string name; (name = ranks_.of_first({})) != kNoMore;) {
      const auto run = std::find_if(plan_.runs.begin(), plan_.runs.end(),
                                    [&](const PlannedRun& r) { return r.name == name; });
      check_internal(run != plan_.runs.end(), "the ranks work on the same runs");
      TrainHooks hooks;
      hooks.stop = options_.stop;
      hooks.checkpoint_seconds = options_.checkpoint_seconds;
      together([&] {
        train_and_measure(*run, hooks, [this](const std::string&, double) {
          if (stopping()) throw Stopped{};
        });
      });
    }
    return !stopping();
  }

  bool stopping() const { return options_.stop && *options_.stop; }

  void tell(const WorkerNews& news) const {
    if (options_.news) options_.news(news);
  }

  // Does work that all ranks do at the same time. Empty if it is done on all of them; otherwise the
  // reason why not, which is empty if the work was to be given up.
  std::optional<std::string> together(const std::function<void()>& work) {
    std::string why;
    try {
      work();
      ranks_.any(0);
      return std::nullopt;
    } catch (const OtherGaveUp&) {
    } catch (const Stopped&) {
      ranks_.give_up();
    } catch (const std::bad_alloc&) {
      why = "out of memory; try a smaller --batch, or fewer --jobs";
      if (ranks_.size() > 1) throw TeamEnds{why};
    } catch (const DeviceError& e) {
      why = e.what();
      if (ranks_.size() > 1) throw TeamEnds{why};
    } catch (const std::exception& e) {
      why = e.what();
      ranks_.give_up();
    }
    for (const std::string& of_rank : ranks_.gather(why)) {
      if (!of_rank.empty()) return of_rank;
    }
    return "";
  }

  // Finishes a run that no other worker has. False if it is neither finished nor failed, because
  // another worker has it or took it over. A folder that cannot be read or locked (on a network)
  // costs this worker only this run.
  bool settle(const PlannedRun& run) {
    const std::string directory = plan_.directory(run);
    try {
      if (failed_.contains(run.name) || plan_.is_finished(run) || load_failure(directory)) {
        return true;
      }
      make_directory(directory);
      const std::unique_ptr<Lease> lease = office_.take(directory);
      if (!lease) return false;
      // by the worker that had it until now
      if (plan_.is_finished(run) || load_failure(directory)) return true;
      return try_to_finish(run, directory, *lease);
    } catch (const std::exception& e) {
      fail(run, e.what());
      return true;
    }
  }

  // False if the run was stopped or taken by another worker.
  bool try_to_finish(const PlannedRun& run, const std::string& directory, const Lease& lease) {
    tell({.kind = WorkerNews::Kind::kBegun, .run = run.name});
    ranks_.of_first(run.name);
    const std::optional<std::string> problem = together([&] { finish(run, directory, lease); });
    if (!problem) {
      tell({.kind = WorkerNews::Kind::kFinished, .run = run.name});
      return true;
    }
    if (problem->empty()) {
      if (lease.lost()) tell_of_loss(run);
      return false;
    }
    fail(run, *problem);
    if (!lease.lost()) save_failure(directory, *problem);
    return true;
  }

  void tell_of_loss(const PlannedRun& run) {
    tell(
        {.kind = WorkerNews::Kind::kWarning,
         .run = run.name,
         .message = "this worker gave no sign of life for " +
                    std::to_string(std::lround(options_.lease.dead_after / 2)) +
                    " s (was it suspended?), so another one may have the run; it is left for now"});
  }

  void fail(const PlannedRun& run, const std::string& message) {
    failed_.insert(run.name);
    tell({.kind = WorkerNews::Kind::kFailed, .run = run.name, .message = message});
  }

  void finish(const PlannedRun& run, const std::string& directory, const Lease& lease) {
    RunTimes times = load_times(directory);
    const auto progress = [&](const std::string& what, double part) {
      if (stopping() || lease.lost()) throw Stopped{};
      tell({.kind = WorkerNews::Kind::kMeasuring, .run = run.name, .part = part, .message = what});
    };
    times.evaluation += train_and_measure(run, hooks(run, directory, lease, times), progress);
    save_times(directory, times);
  }

  // Returns the seconds of the measurement.
  double train_and_measure(const PlannedRun& run, TrainHooks hooks, OnMeasuring::Tell progress) {
    const std::string directory = plan_.directory(run);
    hooks.ranks = &ranks_;
    if (!plan_.train(run, directory, options_.device, hooks)) throw Stopped{};
    if (plan_.shares_measuring) ranks_.any(0);  // by then the first one has written the model
    const double begin = now();
    if (ranks_.first() || plan_.shares_measuring) {
      Ranks& sharing = plan_.shares_measuring ? ranks_ : alone();
      plan_.measure(run, directory, options_.device, OnMeasuring(std::move(progress), sharing));
    }
    return now() - begin;
  }

  TrainHooks hooks(const PlannedRun& run, const std::string& directory, const Lease& lease,
                   RunTimes& times) {
    TrainHooks hooks;
    hooks.stop = options_.stop;
    hooks.checkpoint_seconds = options_.checkpoint_seconds;
    hooks.on_warning = [this, name = run.name](const std::string& text) {
      tell({.kind = WorkerNews::Kind::kWarning, .run = name, .message = text});
    };
    const auto give_up_if_lost = [&lease] {
      if (lease.lost()) throw Stopped{};
    };
    hooks.on_validation = [give_up_if_lost](int64_t, size_t) { give_up_if_lost(); };
    hooks.before_write = give_up_if_lost;
    // An epoch that resumes from a checkpoint is not timed.
    const auto epoch = std::make_shared<EpochClock>();
    hooks.on_step = [this, give_up_if_lost, epoch, name = run.name](const TrainProgress& p) {
      give_up_if_lost();
      if (epoch->steps++ == 0) epoch->whole = p.step == 1;
      const double part = static_cast<double>(p.step) / static_cast<double>(p.steps);
      tell({.kind = WorkerNews::Kind::kTraining,
            .run = name,
            .epoch = p.epoch,
            .max_epochs = p.max_epochs,
            .part = part,
            .metric = value_of(p.metrics, plan_.train_metric),
            .seconds = p.step < p.steps ? p.seconds_left / (1 - part) : 0});
    };
    hooks.on_epoch = [this, &times, epoch, run, directory](const EpochLog& e, bool) {
      const double seconds = now() - epoch->begin;
      if (epoch->whole) {
        times.epochs.push_back(seconds);
        save_times(directory, times);
      }
      *epoch = {};
      tell({.kind = WorkerNews::Kind::kEpoch,
            .run = run.name,
            .epoch = e.epoch,
            .max_epochs = plan_.max_epochs(run),
            .metric = value_of(e.metrics, plan_.valid_metric),
            .seconds = seconds});
    };
    return hooks;
  }

  const Plan& plan_;
  const WorkerOptions& options_;
  Ranks& ranks_;
  LeaseOffice office_;
  std::set<std::string> failed_;
};

}  // namespace

bool work(const Plan& plan, const WorkerOptions& options) {
  try {
    return Worker(plan, options).work();
  } catch (const TeamEnds& end) {
    throw Error(end.why);
  }
}

}  // namespace heed
