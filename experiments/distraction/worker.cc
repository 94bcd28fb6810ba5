#include "experiments/distraction/worker.h"

#include <chrono>
#include <filesystem>
#include <set>
#include <thread>

#include "experiments/distraction/times.h"
#include "tensor/file.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Stopped {};  // thrown through an evaluation that is to be given up

struct EpochClock {
  double begin = now();
  int64_t steps = 0;
  bool whole = true;
};

class Worker {
 public:
  Worker(const WorkerOptions& options, const ExperimentSettings& settings,
         const ExperimentData& data, Device device)
      : options_(options),
        settings_(settings),
        data_(data),
        device_(device),
        office_(options.lease) {}

  bool work() {
    while (!stopping()) {
      const bool some_left = work_on_all();
      if (stopping()) return false;
      if (!some_left) return true;
      tell({.kind = WorkerNews::Kind::kWaiting});
      for (int i = 0; i < 20 && !stopping(); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
    }
    return false;
  }

 private:
  bool stopping() const { return options_.stop && *options_.stop; }

  void tell(const WorkerNews& news) const {
    if (options_.news) options_.news(news);
  }

  // Every run that is not finished, failed or another worker's. Whether any is another worker's.
  bool work_on_all() {
    bool some_left = false;
    for (const ExperimentRun& run : options_.runs) {
      const std::string directory = run_directory(options_.out, run);
      if (stopping()) return true;
      if (failed_.contains(directory) || is_evaluated(directory)) continue;
      make_directory(directory);
      const std::unique_ptr<Lease> lease = office_.take(directory);
      if (!lease) {
        some_left = true;
      } else if (!is_evaluated(directory)) {  // by one who had it until now
        some_left |= !try_to_finish(run, directory, *lease);
      }
    }
    return some_left;
  }

  // False if the run is not finished because it was stopped or taken by another worker.
  bool try_to_finish(const ExperimentRun& run, const std::string& directory, const Lease& lease) {
    try {
      if (!finish(run, directory, lease)) return false;
      tell({.kind = WorkerNews::Kind::kFinished, .run = run.name()});
    } catch (const Stopped&) {
      return false;
    } catch (const std::bad_alloc&) {
      fail(run, directory, "out of memory; try a smaller --batch, or fewer --jobs");
    } catch (const std::exception& e) {
      fail(run, directory, e.what());
    }
    return true;
  }

  void fail(const ExperimentRun& run, const std::string& directory, const std::string& message) {
    failed_.insert(directory);
    tell({.kind = WorkerNews::Kind::kFailed, .run = run.name(), .message = message});
  }

  bool finish(const ExperimentRun& run, const std::string& directory, const Lease& lease) {
    const TrainSettings settings = open_run(run, directory);
    RunTimes times = load_times(directory);
    if (!train(directory, settings, data_.train, device_, hooks(run, directory, lease, times))) {
      return false;
    }
    const double begin = now();
    evaluate_run(directory, run, settings_, data_, device_,
                 [&](const std::string& what, double part) {
                   if (stopping() || lease.lost()) throw Stopped{};
                   tell({.kind = WorkerNews::Kind::kEvaluating,
                         .run = run.name(),
                         .part = part,
                         .message = what});
                 });
    times.evaluation = now() - begin;
    save_times(directory, times);
    return true;
  }

  // The settings of the run, which is begun if it is new.
  TrainSettings open_run(const ExperimentRun& run, const std::string& directory) const {
    const TrainSettings settings = run_settings(settings_, data_, run);
    if (!fs::exists(fs::path(directory) / "settings.json")) {
      check_memory(settings.model);
      start_run(directory, settings, data_.train.vocabulary);
      return settings;
    }
    const TrainSettings there = load_settings(directory);
    if (there.data_fingerprint != settings.data_fingerprint ||
        there.model.structure.name != settings.model.structure.name ||
        there.insert_prob != settings.insert_prob || there.loop.seed != settings.loop.seed ||
        there.attention_weight != settings.attention_weight) {
      throw DataError(directory + ": holds a run of another kind; move it away");
    }
    return settings;
  }

  TrainHooks hooks(const ExperimentRun& run, const std::string& directory, const Lease& lease,
                   RunTimes& times) {
    TrainHooks hooks;
    hooks.stop = options_.stop;
    hooks.checkpoint_seconds = options_.checkpoint_seconds;
    hooks.on_warning = [this, name = run.name()](const std::string& text) {
      tell({.kind = WorkerNews::Kind::kWarning, .run = name, .message = text});
    };
    hooks.on_validation = [&](int64_t, size_t) {
      if (lease.lost()) throw Stopped{};
    };
    // An epoch that goes on from a checkpoint is not timed.
    const auto epoch = std::make_shared<EpochClock>();
    hooks.on_step = [&, epoch, name = run.name()](const TrainProgress& p) {
      if (lease.lost()) throw Stopped{};  // and not a checkpoint more
      if (epoch->steps++ == 0) epoch->whole = p.step == 1;
      const double part = static_cast<double>(p.step) / static_cast<double>(p.steps);
      tell({.kind = WorkerNews::Kind::kTraining,
            .run = name,
            .epoch = p.epoch,
            .max_epochs = p.max_epochs,
            .part = part,
            .perplexity = value_of(p.metrics, kTrainPerplexity),
            .seconds = p.step < p.steps ? p.seconds_left / (1 - part) : 0});
    };
    hooks.on_epoch = [&, epoch, name = run.name(), directory](const EpochLog& e, bool) {
      const double seconds = now() - epoch->begin;
      if (epoch->whole) {
        times.epochs.push_back(seconds);
        save_times(directory, times);
      }
      *epoch = {};
      tell({.kind = WorkerNews::Kind::kEpoch,
            .run = name,
            .epoch = e.epoch,
            .max_epochs = settings_.train.loop.max_epochs,
            .perplexity = valid_perplexity(e),
            .seconds = seconds});
    };
    return hooks;
  }

  const WorkerOptions& options_;
  const ExperimentSettings& settings_;
  const ExperimentData& data_;
  const Device device_;
  LeaseOffice office_;
  std::set<std::string> failed_;
};

}  // namespace

std::string run_directory(const std::string& out, const ExperimentRun& run) {
  return (fs::path(out) / run.name()).string();
}

bool work(const WorkerOptions& options, const ExperimentSettings& settings,
          const ExperimentData& data, Device device) {
  return Worker(options, settings, data, device).work();
}

}  // namespace heed
