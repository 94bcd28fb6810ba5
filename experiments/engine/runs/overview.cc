#include "experiments/engine/runs/overview.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "experiments/engine/runs/failure.h"

namespace heed {

void Overview::hear(const WorkerNews& news) {
  using Kind = WorkerNews::Kind;
  if (news.kind == Kind::kBegun || news.kind == Kind::kTraining || news.kind == Kind::kMeasuring) {
    running_[news.process] = news;
  } else if (news.kind == Kind::kFailed || news.kind == Kind::kFinished ||
             news.kind == Kind::kWaiting) {
    running_.erase(news.process);
  }
  waiting_ = news.kind == Kind::kWaiting && running_.empty();
  if (news.kind == Kind::kEpoch || news.kind == Kind::kFinished || waiting_) look();
  if (news.kind == Kind::kFailed) failed_[news.run] = news.message;
}

bool Overview::mourn(int process, const std::string& how) {
  const auto found = running_.find(process);
  if (found == running_.end()) return false;
  const std::string run = found->second.run, why = "its worker process " + how;
  running_.erase(found);
  const auto of_run = [&](const PlannedRun& r) { return r.name == run; };
  const auto planned = std::find_if(plan_.runs.begin(), plan_.runs.end(), of_run);
  if (planned == plan_.runs.end()) return false;
  save_failure(plan_.directory(*planned), why);
  failed_[run] = why;
  return true;
}

void Overview::look() {
  done_ = 0;
  progress_.clear();
  for (const PlannedRun& run : plan_.runs) {
    RunProgress p{plan_.kind(run), plan_.is_finished(run), plan_.max_epochs(run), 0,
                  load_times(plan_.directory(run))};
    p.epochs_done = static_cast<double>(p.times.epochs.size());
    done_ += p.finished;
    progress_.push_back(std::move(p));
  }
}

std::vector<std::string> Overview::failures() const {
  std::vector<std::string> found;
  for (const PlannedRun& run : plan_.runs) {
    if (plan_.is_finished(run)) continue;
    auto why = load_failure(plan_.directory(run));  // whole: what a worker tells may be cut
    const auto told = failed_.find(run.name);
    if (!why && told != failed_.end()) why = told->second;
    if (why) found.push_back(run.name + ": " + *why);
  }
  const auto nameless = failed_.find("");  // a worker that could not begin
  if (nameless != failed_.end()) found.push_back(nameless->second);
  return found;
}

std::string Overview::line(const std::function<std::string(double)>& format_seconds) const {
  std::string text = std::to_string(done()) + " of " + std::to_string(all()) + " done";
  std::map<std::string, WorkerNews> by_name;
  for (const auto& [process, news] : running_) by_name[news.run] = news;
  for (const auto& [name, news] : by_name) text += " | " + name + " " + describe(news);
  if (waiting_) text += " | waiting for runs that other workers have";
  const double left = time_left();
  const bool knows_tests = std::any_of(progress_.begin(), progress_.end(),
                                       [](const RunProgress& p) { return p.times.evaluation > 0; });
  const char* of_what = knows_tests ? "" : " of training";
  if (left > 0) text += " | about " + format_seconds(left) + of_what + " left";
  return text;
}

std::string Overview::describe(const WorkerNews& news) const {
  if (news.kind == WorkerNews::Kind::kBegun) return "begins";
  char text[200];
  if (news.kind == WorkerNews::Kind::kMeasuring) {
    std::snprintf(text, sizeof text, "test %s %.0f%%", news.message.c_str(), 100 * news.part);
  } else {
    std::string name = plan_.train_metric;
    if (name.starts_with("train_")) name.erase(0, std::strlen("train_"));
    std::snprintf(text, sizeof text, "epoch %d/%d %.0f%% %s %.*f", news.epoch, news.max_epochs,
                  100 * news.part, name.c_str(), plan_.metric_digits, news.metric);
  }
  return text;
}

// From finished epochs, or, before there are any, from the running ones.
double Overview::time_left() const {
  std::vector<RunProgress> now = progress_;
  for (size_t i = 0; i < now.size(); ++i) now[i].finished |= failed_.contains(plan_.runs[i].name);
  for (const auto& [process, news] : running_) {
    for (size_t i = 0; i < now.size(); ++i) {
      if (plan_.runs[i].name != news.run || news.kind == WorkerNews::Kind::kBegun) continue;
      const bool training = news.kind == WorkerNews::Kind::kTraining;
      now[i].epochs_done = training ? news.epoch - 1 + news.part : now[i].max_epochs;
      if (training && news.seconds > 0 && now[i].times.epochs.empty()) {
        now[i].times.epochs.push_back(news.seconds);
      }
    }
  }
  return seconds_left(now, jobs_);
}

}  // namespace heed
