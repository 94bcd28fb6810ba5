// What the folder of this experiment holds: runs, human responses and sample dialogues; and what is
// computed from them.
#pragma once

#include <string>
#include <vector>

#include "dialog/respond/responses.h"
#include "experiments/distraction/variants.h"
#include "experiments/engine/report/claims.h"
#include "experiments/engine/report/variant_tables.h"
#include "experiments/experiment.h"

namespace heed {

struct SampleDialogue {
  struct Utterance {
    std::string text;
    bool distraction = false;
  };
  std::string id, response;
  std::vector<Utterance> context;
};

struct Samples {
  std::string set;  // of the distractions
  std::vector<SampleDialogue> dialogues;
  ResponseQuality human;  // of the human responses to all test dialogues
};
// A number of a model on a sample dialogue, as evaluation.json has it: "samples.0.das_ratio".
std::string sample_key(size_t dialogue, const std::string& number);

// report.json, as it is, and read. Measured are perplexities, DAS ratios and attention scores; DAS
// ratios are compared with those of baseline_of().
extern const char kDistractionReport[];
const Showing<>& distraction_report();

struct DistractionFound : Findings {
  Samples samples = {};
  VariantNumbers ours = mean_numbers(results);
};
// Throws DataError as load_findings() of the engine does.
DistractionFound load_distraction(const std::string& folder, const ResultsLayout& layout);

// Adds two numbers of every distracting set, made of D and H of its dialogues, so that folders of
// all versions have them: "above", the share of the dialogues with D > H, and "bounded", the mean
// of D / (D + H).
void add_shares(Numbers& numbers);

// The ways to take the DAS ratio of a test set: the published one, a ratio of means; and the mean
// and the median of the dialogues' ratios.
struct RatioKind {
  const char *name, *key;
};
constexpr RatioKind kRatioKinds[] = {{"ratio of means", "das_ratio"},
                                     {"mean of ratios", "mean_das_ratio"},
                                     {"median of ratios", "median_das_ratio"}};

// ---- the paper

// By the names that evaluation.json has for ours: perplexities, DAS ratios and the history's AS of
// Table 3, the AS of the distracting sets of Tables 4 and 6. Doubtful: the reading of the scan.
const PaperNumbers& paper_numbers();

const std::vector<ClaimRule>& claim_rules();
// The rules for the paper's numbers, and for ours by each of kRatioKinds.
Claims check_claims(const VariantNumbers& ours);

}  // namespace heed
