// Claims that numbers are above others, and the rule that decides when such a claim holds, for all
// experiments that compare their variants in this way.
//
// A part of a claim holds if the 95 % interval of its difference is above 0, does not hold if it is
// below, and is undecided in between, and with a single seed, which does not show how another
// training run would end. Differences are between models of the same seeds on the same items. If a
// number has values for its items (it is a measure), clusters and seeds are resampled (Inference).
// If not, the interval is Student's over the seeds alone, and the figure says so. (With two or
// three seeds the former is rather too short, and the latter as long as so few seeds require.) A
// claim holds if all of its parts do, and does not hold if one does not.
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
  // If given: the parts are claimed for any one of these variants instead of their own. As several
  // are tried, their intervals are wider (Bonferroni).
  std::vector<size_t> one_of = {};
};

// A number of several variants is below 0 in each: yes if all intervals are, no if all are above.
struct EachClaim {
  std::string claim, rule, key;
  std::string of = {};  // variants with this label, called by their groups; none: all, by labels
  bool change = false;  // the number minus the baseline's
  bool above = false;   // above 0 instead
  int digits = 3;
};
Claims decide(const std::vector<EachClaim>& claims, const Findings& found);

// For printed numbers, which decide without intervals.
ClaimResult decide(const AboveClaim& claim, const VariantNumbers& printed);
// For ours beside a paper's.
Claims decide(const std::vector<AboveClaim>& claims, const VariantNumbers& paper,
              const Findings& found);

}  // namespace heed
