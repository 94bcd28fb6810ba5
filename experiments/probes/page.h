#pragma once

#include "experiments/engine/report/figures.h"
#include "experiments/probes/tables.h"

namespace heed {

// F1 by epoch (the paper's Figures 5 to 7): a panel a task, a line a model, of a reading.
std::string epochs_figure(const ProbesResults& results, const std::string& reading);

// The first two principal components of what encoders make of training examples (Figures 2 and 4):
// three panels a model, its first seed, untrained, last and best; empty where no run has any.
std::string components_figure(const ProbesResults& results);

// How a model is drawn: the paper's models have full lines and a mark each, the others thin ones.
LegendEntry style_of(size_t variant);

}  // namespace heed
