#include <filesystem>

#include "experiments/distraction/experiment.h"
#include "experiments/probes/experiment.h"
#include "experiments/retrieval/experiment.h"

namespace heed {

const std::vector<Experiment>& all_experiments() {
  static const std::vector<Experiment> kAll = {distraction_experiment(), probes_experiment(),
                                               retrieval_experiment()};
  return kAll;
}

const Experiment& experiment_of(const std::vector<Experiment>& among, const std::string& folder) {
  for (const Experiment& e : among) {
    if (std::filesystem::exists(std::filesystem::path(folder) / (e.kind + ".json"))) return e;
  }
  return among.front();
}

}  // namespace heed
