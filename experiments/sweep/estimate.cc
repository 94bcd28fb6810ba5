// The size and duration of a sweep, before it runs.
#include <map>

#include "autograd/ops.h"
#include "base/clock.h"
#include "dialog/respond/settings.h"
#include "dialog/respond/structures.h"
#include "experiments/sweep/sweep.h"
#include "nn/batches.h"
#include "train/settings_json.h"

namespace heed {
namespace {

// Seconds of an epoch's steps, from a few steps in the middle of the order of lengths.
double time_epoch(const SweepPoint& point, const SweepPart& data, Responder& model) {
  constexpr int kSteps = 3;
  const Task task = respond_task(model, point.settings, data.train);
  const auto batches =
      bucket_batches(task.sizes, point.settings.loop.batch_size, point.settings.loop.seed, 0);
  double seconds = 0, timed = 0;
  for (size_t i = 0; i < batches.size() && timed < kSteps; ++i) {
    const double begin = now();
    zero_grad(model);
    task.loss(batches[i], {point.settings.loop.seed, 0, static_cast<int64_t>(i)}).total.backward();
    const double taken = now() - begin;
    if (i == 0 && batches.size() > 1) continue;  // which also asks for memory
    seconds += taken;
    ++timed;
  }
  return seconds / timed * static_cast<double>(steps_of(point, data));
}

}  // namespace

int64_t steps_of(const SweepPoint& point, const SweepPart& data) {
  const auto n = static_cast<int64_t>(data.train.train.size());
  return (n + point.settings.loop.batch_size - 1) / point.settings.loop.batch_size;
}

// Validations and tests are forward passes; each counts as a third of a step.
RunTimes estimated_times(const SweepPoint& point, const SweepPart& data, size_t test_sets,
                         Responder& model) {
  const double epoch = time_epoch(point, data, model),
               forward = epoch / 3 / static_cast<double>(data.train.train.size());
  return {{epoch + forward * static_cast<double>(data.train.valid.size())},
          forward * static_cast<double>(data.test.size() * test_sets)};
}

std::vector<std::pair<std::string, std::string>> equal_points(const Sweep& sweep,
                                                              const SweepData& data) {
  std::vector<std::pair<std::string, std::string>> equal;
  std::map<std::string, std::string> seen;
  for (size_t p = 0; p < sweep.points.size(); ++p) {
    TrainSettings settings = sweep.points[p].settings;
    if (!has_distractions(settings, data.of(p).train)) settings.attention_weight = 0;
    const std::string& name = sweep.points[p].grid.name;
    const auto [first, is_new] = seen.emplace(as_options(settings).dump(), name);
    if (!is_new) equal.emplace_back(first->second, name);
  }
  return equal;
}

}  // namespace heed
