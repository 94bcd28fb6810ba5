#include <filesystem>

#include "experiments/adversarial/experiment.h"
#include "experiments/carryover/experiment.h"
#include "experiments/comprehend/experiment.h"
#include "experiments/distraction/experiment.h"
#include "experiments/energy/experiment.h"
#include "experiments/gaps/experiment.h"
#include "experiments/generators/paper.h"
#include "experiments/history/history.h"
#include "experiments/mediation/mediation.h"
#include "experiments/probes/experiment.h"
#include "experiments/retrieval/experiment.h"
#include "experiments/sweep/sweep.h"

namespace heed {

const std::vector<Experiment>& all_experiments() {
  static const std::vector<Experiment> kAll = [] {
    std::vector<Experiment> all = {distraction_experiment(),
                                   probes_experiment(),
                                   adversarial_experiment(),
                                   mediation::mediation_experiment(),
                                   sweep_experiment(),
                                   retrieval_experiment(),
                                   gaps_experiment(),
                                   energy_experiment(),
                                   comprehend_experiment(),
                                   carryover_experiment(),
                                   history::history_experiment()};
    for (const auto& paper : generators::papers()) {
      all.push_back(generators::experiment_of(paper));
    }
    return all;
  }();
  return kAll;
}

const Experiment& experiment_of(const std::vector<Experiment>& among, const std::string& folder) {
  for (const Experiment& e : among) {
    if (std::filesystem::exists(std::filesystem::path(folder) / (e.kind + ".json"))) return e;
  }
  return among.front();
}

void save(const std::string& folder, const Report& report) {
  save_tables(folder, report.tables);
  if (!report.claims.claims.empty()) save_claims(folder, report.claims, report.claims_note);
}

}  // namespace heed
