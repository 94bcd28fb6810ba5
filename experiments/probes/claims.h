// The paper's claims, and what its numbers say when they are read closely, as rules that are
// computed for them and for ours.
#pragma once

#include "experiments/engine/report/claims.h"
#include "experiments/engine/report/table.h"
#include "experiments/probes/results.h"

namespace heed {

const std::vector<ClaimRule>& probe_claim_rules();
// The rules for the paper's numbers, and for ours by each reading with logistic regression.
Claims check_probe_claims(const ProbesResults& results);
constexpr char kProbeClaimsNote[] =
    "Each as a rule that is computed, for our numbers and for the paper's own. A claim about a "
    "corpus is computed with the tasks of the same names here; the figure says how many there are.";

// What puts the headline in doubt: a row a check, with what it says of the paper's numbers and of
// ours.
Table doubts_table(const ProbesResults& results);

}  // namespace heed
