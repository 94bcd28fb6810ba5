// The experiment of Xing & Gulla (2022): do distractions in training teach a model where to look?
#pragma once

#include "experiments/distraction/results.h"
#include "experiments/experiment.h"

namespace heed {

Experiment distraction_experiment();

struct DistractionFound {
  DistractionResults results;
  Inference inference = infer(results);
  VariantNumbers ours = mean_numbers(results);
};
const Showing<DistractionFound>& distraction_showing();

// The sample dialogues with attention as a heat map, and what the models answer.
std::string dialogues_html(const DistractionResults& results);

}  // namespace heed
