// Claims that numbers are above others, and when such a claim holds: the one place for all
// experiments that compare their variants so.
//
// A part of a claim holds where the 95 % interval of its difference lies above 0, does not where it
// lies below, and is undecided in between, and of a single seed, which does not say what another
// training would give. The differences are of models of the same seeds on the same items. Where a
// number has values of its items (it is a measure) clusters and seeds are resampled (Inference).
// Where it has none, the interval is Student's over the seeds alone, and the figure says so. (With
// two or three seeds the former is rather too short, the latter as long as so few allow.)
// A claim holds where all of its parts do, and does not hold where one does not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/engine/report/claims.h"
#include "experiments/engine/report/inference.h"

namespace heed {

// Number `key` of a variant is above `times` that of another one, plus `by`.
struct Above {
  size_t variant;
  std::string key;
  std::optional<size_t> than = {};  // nothing: above `by` alone
  std::string than_key = {};        // empty: `key`
  double times = 1, by = 0;
};

struct AboveClaim {
  std::string claim, rule;
  std::vector<Above> parts;
  // Where there are some: the parts are said of one of these variants, whichever it is, in place of
  // their own. So many are tried that their intervals are wider (Bonferroni).
  std::vector<size_t> one_of = {};
};

// Of numbers that are printed: they decide as they are.
ClaimResult decide(const AboveClaim& claim, const VariantNumbers& printed);
// Ours beside a paper's.
Claims decide(const std::vector<AboveClaim>& claims, const VariantNumbers& paper,
              const Findings& found);

}  // namespace heed
