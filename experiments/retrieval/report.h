// The tables and claims of the experiment, from its results.
#pragma once

#include "experiments/engine/report/claims.h"
#include "experiments/engine/report/inference.h"
#include "experiments/retrieval/experiment.h"

namespace heed {

struct RetrievalFound {
  Results results;
  Inference inference;
};

// Places in retrieval_variants().
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
  kBag
};
}  // namespace rankers

// Twelve rules, which read means over seeds (mean_numbers()).
const std::vector<ClaimRule>& retrieval_claim_rules();
// What the papers print, by the same names.
VariantNumbers retrieval_paper_numbers();

}  // namespace heed
