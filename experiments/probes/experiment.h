// The experiment of Parthasarathi, Pineau & Chandar (2020): what do frozen encoders know?
#pragma once

#include "experiments/experiment.h"
#include "experiments/probes/results.h"

namespace heed {

Experiment probes_experiment();

struct ProbesFound {
  ProbesResults results;
  Inference inference = infer_probes(results);
};
const Showing<ProbesFound>& probes_showing();

}  // namespace heed
