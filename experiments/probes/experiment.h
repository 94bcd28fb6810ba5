// The experiment of Parthasarathi, Pineau & Chandar (2020): what do frozen encoders know?
//   variant.h           the models
//   settings.h          what they are trained on, and how they are probed
//   measurement_json.h  evaluation.json and its additions
//   paper.h, results.h  the paper's numbers, and ours
//   report.h            tables, claims, a close reading, figures
#pragma once

#include "experiments/experiment.h"
#include "experiments/probes/results.h"

namespace heed {

Experiment probes_experiment();
const Showing<ProbesFound>& probes_showing();

}  // namespace heed
