// The paper's ten claims as rules that are computed, for its numbers and for ours. What it says of
// people needs people: without judgements there are no numbers (heed judge).
#pragma once

#include "experiments/adversarial/results.h"
#include "experiments/adversarial/scores.h"
#include "experiments/engine/report/claims.h"

namespace heed {

const std::vector<ClaimRule>& adversarial_claim_rules();

// Ours by the names that the paper's numbers have (paper.h): of the discriminators of each corpus,
// or of the one of all together. Those of random responses and of the analysis have the place of a
// corpus, those of generated ones a place for each corpus and generator.
VariantNumbers claim_numbers(const AdversarialResults& results, const ScoredRows& rows,
                             bool together);

// The rules for the paper's numbers and for ours, by each kind of discriminator that there is.
Claims check_adversarial_claims(const AdversarialResults& results, const ScoredRows& rows);
constexpr char kAdversarialClaimsNote[] =
    "Each as a rule that is computed, for our numbers and for the paper's own. The corpora and the "
    "generators are others than the paper's. Claims about people need judgements, which this "
    "experiment has none of. Ours are decided by intervals over conversations and seeds, and by "
    "what every seed says: with one seed nothing is decided.";

}  // namespace heed
