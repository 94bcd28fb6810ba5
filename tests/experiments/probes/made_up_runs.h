// Runs of the experiment on probes that are made up, whose numbers are known.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/probes/report.h"

namespace heed {

class MadeUpRuns : public testing::Test {
 protected:
  MadeUpRuns() {
    results.variants = probed_names();
    results.settings = {{"insert-prob", "0.0"}, {"readings", "raw"}};
    results.data = {{"tasks", "AllSlots,AllTopics,RecentTopic"}};
  }
  // DAS ratio das + 0.1 place of the set; none where das is 0, as of lstm.
  RunResult& add(const std::string& model, uint64_t seed, double das,
                 const std::vector<double>& f1) {
    constexpr const char* kSets[] = {"random:0.5",     "random:0.7",      "random:1.0",
                                     "frequent:begin", "frequent:middle", "frequent:end",
                                     "rare:begin",     "rare:middle",     "rare:end"};
    RunResult run;
    const std::vector<std::string> models = names_of(results.variants);
    const auto found = std::find(models.begin(), models.end(), model);
    run.run = planned_run(models, static_cast<size_t>(found - models.begin()), seed);
    for (size_t s = 0; das > 0 && s < std::size(kSets); ++s) {
      run.numbers.set(das_key(kSets[s]), das + 0.1 * static_cast<double>(s));
    }
    for (size_t t = 0; t < f1.size(); ++t) {
      run.numbers.set(score_key("best", "raw", measured_tasks(results)[t]), f1[t]);
    }
    results.runs.push_back(std::move(run));
    return results.runs.back();
  }
  std::vector<Table> tables(const std::vector<Measure>& measures = {}) const {
    const Inference inference(results, measures,
                              {.baseline = [](size_t) { return std::optional<size_t>(); }});
    return probes_showing(results).tables({results, inference});
  }
  const Row& row(const Table& table, const std::string& label) const {
    for (const Row& r : table.rows) {
      if (r.label == label) return r;
    }
    throw std::runtime_error("no row " + label);
  }
  Results results;
};

}  // namespace heed
