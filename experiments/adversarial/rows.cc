#include <algorithm>

#include "experiments/adversarial/results.h"
#include "experiments/engine/stats/auc.h"
#include "experiments/engine/stats/hypothesis.h"
#include "experiments/measure/judged_rows.h"

namespace heed {
namespace {

using discriminate::Confusion;

// p(real) of the passages that a run has both responses of, and their conversations.
struct Judged {
  std::vector<double> real, fake;
  std::vector<int> clusters;

  std::vector<Confusion> choices(double threshold = 0.5) const {
    std::vector<Confusion> all(real.size());
    for (size_t i = 0; i < real.size(); ++i) {
      all[i].add(true, real[i] >= threshold);
      all[i].add(false, fake[i] >= threshold);
    }
    return all;
  }
  double accuracy(double threshold = 0.5) const {
    return scores(sum(choices(threshold))).accuracy.value().value_or(0);
  }
};

Judged judged_of(const AdversarialResults& results, const RunResult& run, const ScoredRow& row) {
  const Series& real = run.numbers.series(judged_key(row.judge, row.set, true));
  const Series& fake = run.numbers.series(judged_key(row.judge, row.set, false));
  Judged judged;
  for (size_t i = 0; i < std::min(real.size(), fake.size()); ++i) {
    if (results.corpus_of[i] != static_cast<int>(row.corpus) || !real[i] || !fake[i]) continue;
    judged.real.push_back(*real[i]);
    judged.fake.push_back(*fake[i]);
    judged.clusters.push_back(results.clusters[i]);
  }
  return judged;
}

// The scores that are not quotients of sums.
void add_others(const AdversarialResults& results, const std::vector<Judged>& of_runs,
                ScoredRow& row) {
  std::vector<double> accuracies, aucs, at_thresholds;
  std::vector<ScoredItems> scored;
  const auto runs = results.of(row.variant);
  for (size_t r = 0; r < runs.size(); ++r) {
    const Judged& judged = of_runs[r];
    if (judged.real.empty()) return;
    row.items = 2 * static_cast<int64_t>(judged.real.size());
    accuracies.push_back(judged.accuracy());
    aucs.push_back(rank_sum(judged.real, judged.fake).auc);
    scored.push_back({judged.real, judged.fake, judged.clusters, judged.clusters});
    const auto threshold = runs[r]->numbers.value(threshold_key(results.corpora[row.corpus]));
    if (threshold) at_thresholds.push_back(judged.accuracy(*threshold));
  }
  row.accuracy = spread(accuracies);
  row.auc = spread(aucs);
  const auto mean_auc = clustered_auc(scored);
  if (mean_auc) row.auc_interval = mean_auc->interval;
  const bool own = row.judge == kDiscriminator && row.set == kRandomSet;
  if (own && at_thresholds.size() == runs.size()) row.at_threshold = spread(at_thresholds)->mean;
}

std::optional<double> p_of_chance(Resampled accuracy) {
  accuracy.value -= 0.5;
  for (double& draw : accuracy.draws) draw -= 0.5;
  const auto above = estimate(accuracy);
  return above ? std::optional(above->p_value) : std::nullopt;
}

// The interval of a share ends at 0 or 1, beyond which the draws of few seeds are widened.
std::optional<Estimate> estimate_share(const Resampled& share) {
  std::optional<Estimate> of = estimate(share);
  if (of) of->interval = {std::max(of->interval.low, 0.0), std::min(of->interval.high, 1.0)};
  return of;
}

}  // namespace

ScoredRows::ScoredRows(const AdversarialResults& results) {
  list(results);
  measure(results);
}

void ScoredRows::list(const AdversarialResults& results) {
  std::vector<std::string> judges = {kDiscriminator};
  judges.insert(judges.end(), std::begin(kControls), std::end(kControls));
  for (size_t corpus = 0; corpus < results.corpora.size(); ++corpus) {
    for (const std::string& set : results.sets()) {
      for (size_t v = 0; v < results.judges.size(); ++v) {
        const JudgeVariant& variant = results.judges[v];
        const auto runs = results.of(v);
        if (runs.empty() || !variant.judges(corpus)) continue;
        if (variant.scenario && set != kRandomSet) continue;
        for (const std::string& judge : judges) {
          const bool there = std::all_of(runs.begin(), runs.end(), [&](const RunResult* run) {
            return run->numbers.has_series(judged_key(judge, set, true)) &&
                   run->numbers.has_series(judged_key(judge, set, false));
          });
          if (there) rows_.push_back({corpus, set, v, judge, runs.size(), variant.scenario});
        }
      }
    }
  }
}

void ScoredRows::measure(const AdversarialResults& results) {
  std::vector<Resampled> accuracies;
  for (size_t first = 0; first < rows_.size();) {
    std::vector<Quotient> quotients;
    size_t end = first;
    for (; end < rows_.size() && quotients.size() < kQuotientsAtOnce; ++end) {
      std::vector<Judged> of_runs;
      for (const RunResult* run : results.of(rows_[end].variant))
        of_runs.push_back(judged_of(results, *run, rows_[end]));
      for (const Judged& judged : of_runs) {
        for (Quotient& q : metric_sums(judged.choices(), judged.clusters, results.cluster_count()))
          quotients.push_back(std::move(q));
      }
      add_others(results, of_runs, rows_[end]);
    }
    const std::vector<Resampled> resampled = bootstrap(quotients);
    const Resampled* next = resampled.data();
    for (; first < end; ++first) {
      ScoredRow& row = rows_[first];
      for (size_t s = 0; s < kScoreCount; ++s) {
        std::vector<const Resampled*> seeds;
        for (size_t i = 0; i < row.seeds; ++i) seeds.push_back(next + i * kScoreCount + s);
        Resampled mean = over_seeds(seeds);
        row.scores[s] = estimate_share(mean);
        if (s > 0) continue;
        if (row.seeds > 1) row.p_value = p_of_chance(mean);
        accuracies.push_back(std::move(mean));
      }
      next += row.seeds * kScoreCount;
    }
  }
  compare(results, accuracies);
}

void ScoredRows::compare(const AdversarialResults& results,
                         const std::vector<Resampled>& accuracies) {
  for (size_t i = 0; i < rows_.size(); ++i) {
    ScoredRow& row = rows_[i];
    const JudgeVariant& judge = results.judges[row.variant];
    if (judge.scenario || (row.judge == kDiscriminator && judge.is_discriminator())) continue;
    const ScoredRow* whole = discriminator(row.corpus, row.set, judge.together);
    if (whole) row.below = estimate(difference(accuracies[whole - rows_.data()], accuracies[i]));
  }
}

const ScoredRow* ScoredRows::discriminator(size_t corpus, const std::string& set,
                                           bool together) const {
  for (const ScoredRow& row : rows_) {
    if (row.scenario) continue;
    // the first variant of a corpus reads the context, as does the first of all together
    const bool fits = row.corpus == corpus && row.set == set && row.judge == kDiscriminator;
    if (fits && row.variant % 2 == 0 && (row.variant / 2 != corpus) == together) return &row;
  }
  return nullptr;
}

std::string judge_label(const AdversarialResults& results, const ScoredRow& row) {
  const JudgeVariant& judge = results.judges[row.variant];
  return std::string(judge.response_only ? kResponseOnly : row.judge.c_str()) +
         (judge.together ? ", together" : "");
}

}  // namespace heed
