// The claims of three papers on choosing responses: Henderson et al. (repository), Swanson et al.
// (production), Gunasekara et al. (DSTC7), all 2019. docs/retrieval.md#the-experiment
#pragma once

#include "experiments/experiment.h"

namespace heed {

// Rankers in this order; the first is the baseline of all changes. The last two need --pretrained.
const std::vector<VariantName>& retrieval_variants();
namespace rankers {
enum Place : size_t {
  kBase,
  kHinge,
  k100,
  k10,
  kData25,
  kData10,
  kSru,
  kLstm,
  kHierarchical,
  kBag,
  kSim,  // these two are not trained: a frozen encoder, and a map on it
  kMap
};
}  // namespace rankers

// What each run's evaluation.json has, besides series for the items: R@1 of lists of so many.
constexpr const char* kFirstOf10 = "first_of_10";
constexpr const char* kFirstOf100 = "first_of_100";
constexpr const char* kFirstOf1000 = "first_of_1000";

Experiment retrieval_experiment();
const Showing<>& retrieval_showing();

}  // namespace heed
