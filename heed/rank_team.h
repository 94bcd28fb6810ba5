// The processes that do a command's work together: those that a launcher has started (mpirun,
// srun), those of --ranks, or this one alone.
#pragma once

#include <CLI/App.hpp>
#include <atomic>
#include <functional>

#include "heed/commands.h"
#include "train/ranks.h"

namespace heed {

// --ranks; 0: not given.
void add_ranks(CLI::App& command, int& ranks);

class RankTeam {
 public:
  // Throws UsageError where --ranks and the launcher do not agree.
  RankTeam(int asked, const Common& common);

  int size() const { return size_; }
  bool first() const { return !launched_ || launched_->first(); }  // before the work is shared out
  // Whether somebody asked for ranks, be it one.
  bool asked() const { return asked_; }

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
  // how many each has, and the GPUs, unless --device says which. A stop is passed on.
  void run(const std::function<void(Ranks&, Device)>& work, const std::atomic<bool>& stop) const;

 private:
  Device start_launched() const;

  const Common& common_;
  Ranks* const launched_;
  const bool asked_;
  const int size_;
};

}  // namespace heed
