#include "heed/rank_team.h"

#include <sched.h>

#include <algorithm>

#include "heed/checks.h"
#include "heed/launched_ranks.h"
#include "tensor/parallel.h"
#include "train/forked_ranks.h"
#include "train/lock.h"

namespace heed {
namespace {

int size_of(int asked, const Ranks* launched) {
  if (!launched) return std::max(asked, 1);
  if (asked == 0 || asked == launched->size()) return launched->size();
  throw UsageError("--ranks " + std::to_string(asked) + ": a launcher has started " +
                   std::to_string(launched->size()) + "; leave the option out");
}

// The processors that this process may run on.
std::string processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  ::sched_getaffinity(0, sizeof set, &set);
  return {reinterpret_cast<const char*>(&set), sizeof set};
}

}  // namespace

void add_ranks(CLI::App& command, int& ranks) {
  command
      .add_option("--ranks", ranks,
                  "Processes of this machine that share the work, with the same results for any "
                  "number; heed is started with mpirun or srun instead on several machines")
      ->check(whole_number(1, kMostForkedRanks));
}

RankTeam::RankTeam(int asked, const Common& common)
    : common_(common),
      launched_(launched_ranks()),
      asked_(asked > 0 || launched_ != nullptr),
      size_(size_of(asked, launched_)) {
  if (!launched_ && size_ > 1 && common.device != "cpu") {
    throw UsageError("--ranks: is for --device cpu; for several GPUs start heed with mpirun");
  }
}

// Ranks that may run on the same processors share them out.
Device RankTeam::start_launched() const {
  const std::vector<std::string> hosts = launched_->gather(host_name()),
                                 sets = launched_->gather(processors());
  const auto me = static_cast<size_t>(launched_->rank());
  int sharing = 0, before = 0;
  for (size_t r = 0; r < hosts.size(); ++r) {
    if (hosts[r] != hosts[me]) continue;
    sharing += sets[r] == sets[me];
    before += r < me;
  }
  Common common = common_;
  if (common.threads == 0) common.threads = std::max(1, num_threads() / sharing);
  if (common.device == "cuda") common.device += ":" + std::to_string(before);
  return heed::start(common);
}

Device RankTeam::start() const {
  return launched_ ? start_launched() : heed::start(common_);
}

void RankTeam::run(const std::function<void(Ranks&, Device)>& work,
                   const std::atomic<bool>& stop) const {
  if (launched_) return work(*launched_, start());
  if (size_ == 1) return work(alone(), start());
  Common common = common_;
  if (common.threads == 0) common.threads = std::max(1, num_threads() / size_);
  fork_ranks(
      size_, [&](Ranks& ranks) { work(ranks, heed::start(common)); }, stop);
}

}  // namespace heed
