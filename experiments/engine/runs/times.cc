#include "experiments/engine/runs/times.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "train/run_json.h"

namespace heed {
namespace {

constexpr char kFile[] = "times.json";

struct Mean {
  double sum = 0;
  int64_t count = 0;
  void add(double value) { sum += value, ++count; }
  double value() const { return count ? sum / static_cast<double>(count) : 0; }
};

}  // namespace

void save_times(const std::string& directory, const RunTimes& times) {
  const nlohmann::ordered_json json = {{"epoch_seconds", times.epochs},
                                       {"evaluation_seconds", times.evaluation}};
  write_file(in(directory, kFile), json.dump() + "\n");
}

RunTimes load_times(const std::string& directory) {
  const std::string path = in(directory, kFile);
  if (!std::filesystem::exists(path)) return {};
  return with_json(path, [](const nlohmann::json& json) {
    return RunTimes{json.at("epoch_seconds").get<std::vector<double>>(),
                    json.at("evaluation_seconds").get<double>()};
  });
}

double seconds_left(const std::vector<RunProgress>& runs, int workers) {
  std::map<std::string, Mean> of_kind;
  Mean of_all, evaluation;
  for (const RunProgress& run : runs) {
    for (double seconds : run.times.epochs) {
      of_kind[run.kind].add(seconds);
      of_all.add(seconds);
    }
    if (run.times.evaluation > 0) evaluation.add(run.times.evaluation);
  }
  double left = 0;
  for (const RunProgress& run : runs) {
    if (run.finished) continue;
    const Mean& own = of_kind[run.kind];
    left += std::max(0.0, run.max_epochs - run.epochs_done) * (own.count ? own : of_all).value();
    left += evaluation.value();
  }
  return of_all.count ? left / std::max(workers, 1) : 0;
}

}  // namespace heed
