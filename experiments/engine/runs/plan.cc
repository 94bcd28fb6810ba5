#include "experiments/engine/runs/plan.h"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "base/list.h"
#include "base/number.h"

namespace heed {
namespace fs = std::filesystem;

PlannedRun planned_run(const std::vector<std::string>& variants, size_t variant, uint64_t seed) {
  return {variant, seed, variants.at(variant) + "-seed" + std::to_string(seed)};
}

std::optional<PlannedRun> find_run(const std::vector<std::string>& variants,
                                   const std::string& name) {
  const size_t at = name.rfind("-seed");
  if (at == name.npos) return std::nullopt;
  const auto seed = number_in<uint64_t>(name.substr(at + 5));
  for (size_t v = 0; seed && v < variants.size(); ++v) {
    PlannedRun run = planned_run(variants, v, *seed);
    if (run.name == name) return run;
  }
  return std::nullopt;
}

void parse_shard(const std::string& text, Selection& selection) {
  const std::vector<std::string> parts = fields_of(text, '/');
  const auto shard = number_in<int>(parts.front()), shards = number_in<int>(parts.back());
  if (parts.size() != 2 || !shard || !shards) {
    throw UsageError("shard: expected i/n, such as 1/2, got '" + text + "'");
  }
  selection.shard = *shard;
  selection.shards = *shards;
}

/// variants.size() values: whether one of the patterns, which commas divide, fits the variant.
/// @throws UsageError for a pattern that fits none
static std::vector<bool> chosen(const std::vector<std::string>& variants,
                                const std::string& patterns) {
  std::vector<bool> is_chosen(variants.size());
  for (const std::string& pattern : fields_of(patterns, ',')) {
    bool fits = false;
    for (size_t v = 0; v < variants.size(); ++v) {
      if (::fnmatch(pattern.c_str(), variants[v].c_str(), 0) != 0) continue;
      is_chosen[v] = fits = true;
    }
    if (!fits) {
      throw UsageError("only: no variant fits '" + pattern + "'; there are " + joined(variants));
    }
  }
  return is_chosen;
}

std::vector<PlannedRun> select_runs(const std::vector<std::string>& variants, uint64_t first_seed,
                                    int seeds, const Selection& selection) {
  if (seeds < 1) throw UsageError("seeds: expected at least 1, got " + std::to_string(seeds));
  constexpr uint64_t kLast = std::numeric_limits<uint64_t>::max();
  if (kLast - first_seed < static_cast<uint64_t>(seeds - 1)) {
    throw UsageError("seeds: " + std::to_string(seeds) + " from " + std::to_string(first_seed) +
                     " on go beyond the largest one, " + std::to_string(kLast));
  }
  if (selection.shards < 1 || selection.shard < 1 || selection.shard > selection.shards) {
    throw UsageError("shard: expected i/n with 1 <= i <= n, got " +
                     std::to_string(selection.shard) + "/" + std::to_string(selection.shards));
  }
  const std::vector<bool> is_chosen = chosen(variants, selection.only);
  std::vector<PlannedRun> runs;
  int number = 0;
  for (int s = 0; s < seeds; ++s) {
    for (size_t v = 0; v < variants.size(); ++v) {
      if (!is_chosen[v]) continue;
      if (number++ % selection.shards != selection.shard - 1) continue;
      runs.push_back(planned_run(variants, v, first_seed + static_cast<uint64_t>(s)));
    }
  }
  return runs;
}

void begin_on_first(Ranks& ranks, const std::function<void()>& begin) {
  if (ranks.first()) begin();
  ranks.any(0);
}

std::string Plan::directory(const PlannedRun& run) const {
  return (fs::path(out) / run.name).string();
}

int Plan::longest_name() const {
  size_t longest = 0;
  for (const PlannedRun& run : runs) longest = std::max(longest, run.name.size());
  return static_cast<int>(longest);
}

bool Plan::is_finished(const PlannedRun& run) const {
  const fs::path directory = this->directory(run);
  if (!fs::exists(directory / kEvaluationFile)) return false;
  return (is_trained && !is_trained(run)) ||
         std::all_of(additions.begin(), additions.end(),
                     [&](const std::string& file) { return fs::exists(directory / file); });
}

}  // namespace heed
