#include "experiments/engine/runs/times.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"

namespace heed {

namespace {

struct Mean {
  double sum = 0;
  int64_t count = 0;
  void add(double value) { sum += value, ++count; }
  double value() const { return count ? sum / static_cast<double>(count) : 0; }
};

std::string path_of(const std::string& directory) {
  return (std::filesystem::path(directory) / "times.json").string();
}

}  // namespace

void save_times(const std::string& directory, const RunTimes& times) {
  const nlohmann::ordered_json json = {{"epoch_seconds", times.epochs},
                                       {"evaluation_seconds", times.evaluation}};
  write_file(path_of(directory), json.dump() + "\n");
}

RunTimes load_times(const std::string& directory) {
  const std::string path = path_of(directory);
  RunTimes times;
  if (!std::filesystem::exists(path)) return times;
  try {
    const auto json = nlohmann::json::parse(read_file(path, 1 << 24));
    json.at("epoch_seconds").get_to(times.epochs);
    json.at("evaluation_seconds").get_to(times.evaluation);
  } catch (const nlohmann::json::exception& e) {
    throw DataError(path + ": not what heed writes there: " + e.what());
  }
  return times;
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
