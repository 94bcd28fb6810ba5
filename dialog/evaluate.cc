#include "dialog/evaluate.h"

namespace heed {

std::vector<Example> distracted(const std::vector<Example>& examples, const TestSet& set,
                                const Pool& pool, const Phrases& phrases, uint64_t seed) {
  std::vector<Example> result;
  result.reserve(examples.size());
  for (size_t i = 0; i < examples.size(); ++i) {
    Rng rng(seed, "test." + set.name, i);
    result.push_back(apply(set, examples[i], pool, phrases, rng));
  }
  return result;
}

std::vector<TestSetResult> evaluate(DialogModel& model, const std::vector<Example>& examples,
                                    const std::vector<TestSet>& sets, const Pool& pool,
                                    const Phrases& phrases, uint64_t seed, int64_t batch_size,
                                    const EvaluateProgress& progress) {
  std::vector<TestSetResult> results;
  for (const TestSet& set : sets) {
    const auto inserted = distracted(examples, set, pool, phrases, seed);
    const auto report = [&](const ScoreProgress& done) {
      if (progress) progress(set.name, done);
    };
    results.push_back({set.name, summarize(score(model, inserted, batch_size, report))});
  }
  return results;
}

std::vector<TestSet> select_test_sets(const std::string& name) {
  if (name != "all") return {parse_test_set(name)};
  std::vector<TestSet> sets = test_sets();
  sets.insert(sets.begin(), parse_test_set("none"));
  return sets;
}

}  // namespace heed
