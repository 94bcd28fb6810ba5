#include "heed/rank_team.h"

#include <sched.h>

#include <algorithm>

#include "heed/checks.h"
#include "heed/launched_ranks.h"
#include "tensor/parallel.h"
#include "train/forked_ranks.h"
#include "train/lock.h"
#include "train/pieces.h"

namespace heed {
namespace {

// The default number of pieces of a batch if there are ranks.
constexpr int kPiecesForRanks = 8;

int size_of(int asked, const Ranks* launched) {
  if (!launched) return std::max(asked, 1);
  if (asked == 0 || asked == launched->size()) return launched->size();
  throw UsageError("--ranks " + std::to_string(asked) + ": a launcher has started " +
                   std::to_string(launched->size()) + "; leave the option out");
}

// The processors on which this process may run.
std::string processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  ::sched_getaffinity(0, sizeof set, &set);
  return {reinterpret_cast<const char*>(&set), sizeof set};
}

}  // namespace

void add_ranks(CLI::App& c, int& ranks) {
  c.add_option("--ranks", ranks,
               "Number of processes on this machine that share the work; results are the same for "
               "any number. On several machines, start heed with mpirun or srun instead")
      ->check(whole_number(1, kMostForkedRanks));
}

void add_pieces(CLI::App& c, std::optional<int>& pieces) {
  c.add_option("--pieces", pieces,
               "Number of pieces of a batch, which ranks divide among themselves: a power of two. "
               "If not given: 8 with ranks, 1 without. The numbers of a training depend on the "
               "pieces, not on the ranks")
      ->check(whole_number(1, kMostPieces));
}

RankTeam::RankTeam(const Common& common)
    : common_(common), launched_(nullptr), asked_(false), size_(1), threads_(num_threads()) {}

RankTeam::RankTeam(int asked, const Common& common)
    : common_(common),
      launched_(launched_ranks()),
      asked_(asked > 0 || launched_ != nullptr),
      size_(size_of(asked, launched_)),
      threads_(num_threads()) {
  if (!launched_ && size_ > 1 && common.device != "cpu") {
    throw UsageError(
        "--ranks: only applies with --device cpu; for several GPUs start heed with mpirun");
  }
  if (launched_) neighbours_.emplace(*launched_);
}

// Ranks that may run on the same processors divide them among themselves.
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
  if (common.threads == 0) common.threads = std::max(1, threads_ / sharing);
  if (common.device == "cuda") common.device += ":" + std::to_string(before);
  return heed::start(common);
}

Device RankTeam::start() const {
  return launched_ ? start_launched() : heed::start(common_);
}

void RankTeam::check_alike(std::vector<Given> given) const {
  if (!launched_) return;
  given.push_back({"--device", common_.device.substr(0, common_.device.find(':'))});
  given.push_back({"--matmul", matmul_of(common_)});
  heed::check_alike(*launched_, given);
}

int RankTeam::pieces(const std::optional<int>& asked) const {
  return asked.value_or(asked_ ? kPiecesForRanks : 1);
}

void RankTeam::run(const std::function<void(Ranks&, Device)>& work, const std::atomic<bool>& stop,
                   int teams) const {
  if (launched_) return work(*launched_, start());
  Common common = common_;
  if (common.threads == 0) common.threads = std::max(1, threads_ / (size_ * teams));
  const auto begin = [&](Ranks& ranks) { work(ranks, heed::start(common)); };
  if (size_ == 1) return begin(alone());
  fork_ranks(size_, begin, stop);
}

}  // namespace heed
