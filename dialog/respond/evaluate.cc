#include "dialog/respond/evaluate.h"

#include <algorithm>
#include <numeric>
#include <sstream>

#include "dialog/respond/on_ranks.h"

namespace heed {
namespace {

ExampleResult result_of(const DialogueScore& s) {
  return {s.id,
          std::accumulate(s.nll.begin(), s.nll.end(), 0.0),
          static_cast<int64_t>(s.nll.size()),
          dialogue_means(s.as_scores, s.distraction),
          s.das_ratio,
          s.characters,
          {},
          s.as_scores};
}

// The names that a part of the list stands for.
std::vector<std::string> names_of(const std::string& part) {
  std::vector<std::string> names;
  if (part == "all") names = {"none"};
  for (const std::string_view set : kTestSets) {
    if (part == "all" || set.starts_with(part + ":")) names.emplace_back(set);
  }
  return names.empty() ? std::vector{part} : names;
}

}  // namespace

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

std::vector<TestSetResult> evaluate(Responder& model, const std::vector<Example>& examples,
                                    const std::vector<TestSet>& sets, const Pool& pool,
                                    const Phrases& phrases, uint64_t seed, int64_t batch_size,
                                    const EvaluateProgress& progress, Ranks& ranks, bool accuracy) {
  std::vector<TestSetResult> results;
  for (const TestSet& set : sets) {
    const auto inserted = distracted(examples, set, pool, phrases, seed);
    const auto report = [&](const ScoreProgress& done) {
      if (progress) progress(set.name, done);
    };
    const auto part = part_of_rank(ranks, inserted);
    const std::vector<DialogueScore> scores =
        score_on_ranks(ranks, model, part, inserted.size(), batch_size, report);
    results.push_back({set.name, summarize(scores), {}});
    TestSetResult& result = results.back();
    for (const DialogueScore& s : scores) result.examples.push_back(result_of(s));
    if (!accuracy) continue;
    const auto right = taught_right_on_ranks(ranks, model, part, inserted.size(), batch_size);
    for (size_t i = 0; i < right.size(); ++i) result.examples[i].right = right[i];
    result.summary.accuracy = static_cast<double>(std::reduce(right.begin(), right.end())) /
                              static_cast<double>(std::max<int64_t>(result.summary.tokens, 1));
  }
  return results;
}

std::vector<TestSet> select_test_sets(const std::string& list) {
  std::vector<TestSet> sets;
  std::istringstream parts(list + ",");
  for (std::string part; std::getline(parts, part, ',');) {
    for (const std::string& name : names_of(part)) {
      const TestSet set = parse_test_set(name);
      const auto same = [&](const TestSet& other) { return other.name == set.name; };
      if (std::none_of(sets.begin(), sets.end(), same)) sets.push_back(set);
    }
  }
  return sets;
}

bool needs_pool(const std::vector<TestSet>& sets) {
  return std::any_of(sets.begin(), sets.end(),
                     [](const TestSet& set) { return set.kind == TestSet::Kind::kRandom; });
}

}  // namespace heed
