// The experiment of Parthasarathi, Pineau & Chandar (2020): what do frozen encoders know?
//   variant.h           the models
//   settings.h          what they are trained on, and how they are probed
//   measurement_json.h  evaluation.json and its additions
//   paper.h, results.h  the paper's numbers, and ours
//   report.json         the report: texts and tables
//   report.h            its values, claims, a close reading, figures
#pragma once

#include "experiments/experiment.h"

namespace heed {

Experiment probes_experiment();

}  // namespace heed
