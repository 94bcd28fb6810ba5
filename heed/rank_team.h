// The processes that do a command's work together: those that a launcher has started (mpirun,
// srun), those of --ranks, or this one alone.
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
CLI::Option* add_ranks(CLI::App& command, int& ranks);
// --pieces of a batch, which the ranks of a training share out.
CLI::Option* add_pieces(CLI::App& command, std::optional<int>& pieces);

class RankTeam {
 public:
  // Throws UsageError where --ranks and the launcher do not agree.
  RankTeam(int asked, const Common& common);
  // This process by itself, whoever has started it.
  explicit RankTeam(const Common& common);

  int size() const { return size_; }
  bool first() const { return !launched_ || launched_->first(); }  // before the work is shared out
  bool launched() const { return launched_ != nullptr; }
  // The pieces of a batch that were asked for, or what who has ranks, be it one, gets without.
  int pieces(const std::optional<int>& asked) const;

  // Whether this process reads large files, for itself and for the other ranks of its machine; and
  // what they do when it has read. Forked ranks have what was read before.
  bool reads() const { return !neighbours_ || neighbours_->reads(); }
  template <class Data> void share(Data& data) const {
    if (neighbours_) data.share(*neighbours_);
  }
  // What the first one says, on all of a launcher's ranks.
  template <class Say> std::string of_first(const Say& say) const {
    if (!launched_) return say();
    return launched_->of_first(first() ? say() : "");
  }

  // A launcher's ranks are processes of their own, on machines and in folders of their own: throws
  // DataError where they were given different things (train/alike.h), or other arithmetic.
  void check_alike(std::vector<Given> given) const;

  // This process's threads and device, before the work is shared out.
  Device start() const;

  // What all need before they begin; rank 0 makes it first, as the others may find there what it
  // has written.
  template <class Make> auto prepare(const Make& make) const {
    if (!first()) launched_->any(0);
    auto made = make();
    if (first() && launched_) launched_->any(0);
    return made;
  }

  // Does the work on all ranks and waits for them. They share the processors, unless --threads says
  // how many each has, and the GPUs, unless --device says which. A stop is passed on. `teams`: so
  // many such teams are at work on this machine.
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
