// What is the history worth to a system, and what of it: its order, its words, its last turns?
// Contexts of the test part are cut and perturbed (dialog/data/perturb.h), and the loss rises.
// After Sankar et al. (ACL 2019), and the analysis of Ohsugi et al. (2019) by numbers of turns.
#pragma once

#include <string>
#include <vector>

#include "experiments/engine/report/inference.h"
#include "experiments/experiment.h"

namespace heed::history {

constexpr int kMostTurns = 8;

// "turns:1" to "turns:8", "turns:3-shuffled" to "turns:8-shuffled", and what else is done to whole
// contexts.
const std::vector<std::string>& cuts();
const std::vector<std::string>& shuffled_cuts();
const std::vector<std::string>& perturbations();

// The loss of two of them, the first less the second, under a name.
struct Contrast {
  const char *name, *first, *second;
};
inline const std::vector<Contrast> kContrasts = {
    {"order less presence", "turns-shuffled", "turns:1"},
    {"last less first", "last-dropped", "first-dropped"},
    {"shuffled less cut", "turns:8-shuffled", "turns:8"}};

// A row for each system: a structure, or the last part of a directory's path. Throws UsageError for
// names that are not all different.
std::vector<VariantName> variants_of(const std::vector<std::string>& systems);

const Showing<>& showing();
Experiment history_experiment();

}  // namespace heed::history
