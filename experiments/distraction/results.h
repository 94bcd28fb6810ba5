// What the folder of this experiment holds besides what all have: human responses and sample
// dialogues.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/respond/das.h"
#include "dialog/respond/responses.h"
#include "experiments/distraction/evaluation.h"
#include "experiments/engine/report/inference.h"

namespace heed {

struct SampleDialogue {
  struct Utterance {
    std::string text;
    bool distraction = false;
  };
  std::string id, response;
  std::vector<Utterance> context;
};

struct DistractionResults : Results {
  ResponseQuality human;
  std::string sample_set;
  std::vector<SampleDialogue> samples;
};

// Throws DataError as load_results() of the engine does.
DistractionResults load_distraction_results(const std::string& folder);

// Adds two numbers of every distracting set, made of D and H of its dialogues, so that folders of
// all versions have them: the share of the dialogues with D > H, and the mean of D / (D + H).
constexpr char kDasAbove[] = "above", kDasBounded[] = "bounded";
void add_shares(Numbers& numbers);

// A number of a model on a sample dialogue, as evaluation.json has it: "samples.0.das_ratio".
std::string sample_key(size_t dialogue, const std::string& number);

// Of perplexities, DAS ratios and attention scores; DAS ratios are compared with those of
// baseline_of().
Inference infer(const Results& results);

// The ways to take the DAS ratio of a test set: the published one, a ratio of means; and the mean
// and the median of the dialogues' ratios.
struct RatioKind {
  const char *name, *short_name, *key;
};
constexpr RatioKind kRatioKinds[] = {{"ratio of means", "ratio of means", "das_ratio"},
                                     {"mean of ratios", "mean of ratios", "mean_das_ratio"},
                                     {"median of ratios", "median", "median_das_ratio"}};

}  // namespace heed
