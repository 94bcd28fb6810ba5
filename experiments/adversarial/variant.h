// The classifiers that are trained: one for each corpus, and of several corpora also one for all of
// them together, as Bruni and Fernández (2017) trained theirs; and the same again without context.
#pragma once

#include <string>
#include <vector>

#include "experiments/engine/results.h"

namespace heed {

struct JudgeVariant {
  std::string name;             // "ubuntu-sample", "together-response-only"
  std::vector<size_t> corpora;  // what it is trained and tested on
  bool together = false;        // of several corpora
  bool response_only = false;   // a control: it reads no context
};
constexpr char kTogether[] = "together", kResponseOnly[] = "response-only";

// Of the corpora with these names.
std::vector<JudgeVariant> judge_variants(const std::vector<std::string>& corpora);
// Their names, and what tables call them.
std::vector<VariantName> judge_names(const std::vector<JudgeVariant>& variants);

}  // namespace heed
