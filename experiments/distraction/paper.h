// The paper: its numbers, from data/paper-tables.json, which is compiled in, and its claims.
#pragma once

#include "experiments/distraction/results.h"
#include "experiments/engine/report/claims.h"
#include "experiments/engine/report/variant_tables.h"

namespace heed {

// By the names that evaluation.json has for ours: perplexities, DAS ratios and the history's AS of
// Table 3, the AS of the distracting sets of Tables 4 and 6. Doubtful: the reading of the scan.
const PaperNumbers& paper_numbers();

const std::vector<ClaimRule>& claim_rules();
// The rules for the paper's numbers, and for ours by each of kRatioKinds.
Claims check_claims(const Results& results);
constexpr char kClaimsNote[] =
    "Each as a rule that is computed: for our numbers by each way to take the DAS ratio of a test "
    "set (the first is the paper's), and for the paper's own.";

}  // namespace heed
