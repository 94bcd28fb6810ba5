// The classifiers that are trained: one for each corpus, and of several corpora also one for all of
// them together, as Bruni and Fernández (2017) trained theirs; and the same again without context.
// Those of scenarios test the evaluation.
#pragma once

#include <string>
#include <vector>

#include "dialog/discriminate/replacement.h"
#include "experiments/engine/runs/results.h"

namespace heed {

// A test of the evaluation itself (after Li et al., "Adversarial Learning for Neural Dialogue
// Generation", EMNLP 2017): what stands in the place of responses is such that the accuracy of a
// classifier that can be relied on is known.
struct Scenario {
  const char* name;
  discriminate::Negatives::Kind kind;
  double ideal;
};
constexpr Scenario kScenarios[] = {
    {"real-and-real", discriminate::Negatives::Kind::kReal, 0.5},
    {"shuffled-words", discriminate::Negatives::Kind::kShuffledWords, 1},
    {"other-corpus", discriminate::Negatives::Kind::kOtherCorpus, 1}};  // of several corpora only

struct JudgeVariant {
  std::string name;                    // "ubuntu-sample", "together-response-only"
  std::vector<size_t> corpora;         // what it is trained and tested on
  bool together = false;               // of several corpora
  bool response_only = false;          // a control: it reads no context
  const Scenario* scenario = nullptr;  // one of kScenarios
};
constexpr char kTogether[] = "together", kResponseOnly[] = "response-only";

// Of the corpora with these names; with `reliability` those of the scenarios come last,
// "together-shuffled-words", for all corpora at once.
std::vector<JudgeVariant> judge_variants(const std::vector<std::string>& corpora, bool reliability);
// Their names, and what tables call them.
std::vector<VariantName> judge_names(const std::vector<JudgeVariant>& variants);

}  // namespace heed
