// A model on the original test set and on the distracting ones.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dialog/data/distraction.h"
#include "dialog/respond/das.h"
#include "train/ranks.h"

namespace heed {

// The examples with a test set's distractions. The insertions into an example depend only on the
// seed, the set and the example's index.
std::vector<Example> distracted(const std::vector<Example>& examples, const TestSet& set,
                                const Pool& pool, const Phrases& phrases, uint64_t seed);

// The seed of an experiment's test sets: all runs see the same distractions, whatever their seeds.
constexpr uint64_t kTestSeed = 1;

// The kept result of an example.
struct ExampleResult {
  std::string id;
  double nll = 0;  // sum over the tokens
  int64_t tokens = 0;
  DialogueMeans means;
  std::optional<double> das_ratio;
  Example::Characters characters = {};  // of the response
  std::optional<int64_t> right = {};    // of the tokens, see taught_right(); if requested
  std::vector<double> as_scores = {};   // see DialogueScore
};
struct TestSetResult {
  std::string name;
  ScoreSummary summary;
  std::vector<ExampleResult> examples;
};
using EvaluateProgress = std::function<void(const std::string& set, const ScoreProgress&)>;
// The ranks share the examples; all get all results, which are the same for any number of ranks.
// `accuracy` also requests the share of tokens that are most probable at their position, which
// doubles the time.
std::vector<TestSetResult> evaluate(Responder& model, const std::vector<Example>& examples,
                                    const std::vector<TestSet>& sets, const Pool& pool,
                                    const Phrases& phrases, uint64_t seed, int64_t batch_size,
                                    const EvaluateProgress& progress = {}, Ranks& ranks = alone(),
                                    bool accuracy = false);

// The test sets of a list with commas: "all" (none and the nine), "random", "frequent" or "rare"
// (the three of the nine), and single ones, see parse_test_set; each once. Throws UsageError.
std::vector<TestSet> select_test_sets(const std::string& list);
// Whether there is a set whose distractions are drawn from a pool.
bool needs_pool(const std::vector<TestSet>& sets);

}  // namespace heed
