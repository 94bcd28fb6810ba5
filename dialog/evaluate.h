// A model on the original test set and on the distracting ones.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dialog/das.h"
#include "dialog/distraction.h"

namespace heed {

// The examples with a test set's distractions in them. What is inserted into an example depends on
// the seed, the set and the example's place only.
std::vector<Example> distracted(const std::vector<Example>& examples, const TestSet& set,
                                const Pool& pool, const Phrases& phrases, uint64_t seed);

struct TestSetResult {
  std::string name;
  ScoreSummary summary;
};
using EvaluateProgress = std::function<void(const std::string& set, const ScoreProgress&)>;
std::vector<TestSetResult> evaluate(DialogModel& model, const std::vector<Example>& examples,
                                    const std::vector<TestSet>& sets, const Pool& pool,
                                    const Phrases& phrases, uint64_t seed, int64_t batch_size,
                                    const EvaluateProgress& progress = {});

// "none" and the nine distracting sets; "none"; or the one that is named (see parse_test_set).
std::vector<TestSet> select_test_sets(const std::string& name);

}  // namespace heed
