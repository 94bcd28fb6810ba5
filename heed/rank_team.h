// The processes that do a command's work together: the processes of a launcher (mpirun, srun),
// those of --ranks, or this process alone.
#pragma once

#include <CLI/App.hpp>
#include <atomic>
#include <functional>
#include <optional>

#include "heed/commands.h"
#include "train/alike.h"
#include "train/neighbours.h"

namespace heed {

// --ranks; 0: not given.
void add_ranks(CLI::App& command, int& ranks);
// --pieces of a batch, which the ranks of a training divide among themselves.
void add_pieces(CLI::App& command, std::optional<int>& pieces);

class RankTeam {
 public:
  // Throws UsageError if --ranks contradicts the launcher.
  RankTeam(int asked, const Common& common);
  // This process alone, whether or not a launcher started it.
  explicit RankTeam(const Common& common);

  int size() const { return size_; }
  bool first() const { return !launched_ || launched_->first(); }  // before the work is shared out
  bool launched() const { return launched_ != nullptr; }
  // The pieces of a batch that were asked for, or the default; with ranks, even a single one, that
  // is 8.
  int pieces(const std::optional<int>& asked) const;

  // Whether this process reads large files, for itself and for the other ranks of its machine; and
  // the step after reading. Forked ranks inherit the data that was read before the fork.
  bool reads() const { return !neighbours_ || neighbours_->reads(); }
  template <class Data> void share(Data& data) const {
    if (neighbours_) data.share(*neighbours_);
  }
  // Distributes the value of the first rank to all ranks of a launcher.
  template <class Say> std::string of_first(const Say& say) const {
    if (!launched_) return say();
    return launched_->of_first(first() ? say() : "");
  }

  // A launcher's ranks are separate processes, on separate machines and folders: throws DataError
  // if their inputs (train/alike.h) or their arithmetic differ.
  void check_alike(std::vector<Given> given) const;

  // This process's threads and device, before the work is shared out.
  Device start() const;

  // Work that all ranks need done before they begin; rank 0 does it first, because the others may
  // need the files that it has written.
  template <class Make> auto prepare(const Make& make) const {
    if (!first()) launched_->any(0);
    auto made = make();
    if (first() && launched_) launched_->any(0);
    return made;
  }

  // Does the work on all ranks and waits for them. The ranks share the processors unless --threads
  // gives a number for each, and the GPUs unless --device names one. A stop signal is passed on.
  // `teams`: the number of such teams at work on this machine.
  void run(const std::function<void(Ranks&, Device)>& work, const std::atomic<bool>& stop,
           int teams = 1) const;

 private:
  Device start_launched() const;

  const Common& common_;
  Ranks* const launched_;
  std::optional<Neighbours> neighbours_;  // of a launcher's ranks
  const bool asked_;
  const int size_;
  const int threads_;  // that this process may have by itself
};

}  // namespace heed
