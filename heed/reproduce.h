// What the experiments have in common as commands.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "heed/commands.h"
#include "heed/train_flags.h"
#include "heed/work_flags.h"

namespace heed {

// Options of a command that makes an experiment.
struct ExperimentFlags {
  CommonPtr common;
  std::string data, out;
  int seeds = 1;
  Selection selection;
  WorkFlags work;
  int ranks = 0;
  std::optional<int> pieces;
  TrainFlags train;

  // `only`: examples of patterns, for help. `trains`: response models.
  void declare(CLI::App& command, const std::string& only, bool trains = true);
};

// --ranks and --pieces of an experiment's trainings.
void add_experiment_ranks(CLI::App& command, int& ranks, std::optional<int>& pieces);

// What `heed reproduce` itself requires is not asked for where this command stands behind it.
void require_nothing_of(CLI::App& reproduce, CLI::App& command);

// Those that are not in experiments/all.cc yet.
void add_reproduce_adversarial(CLI::App& reproduce);
void add_reproduce_mediation(CLI::App& reproduce);

}  // namespace heed
