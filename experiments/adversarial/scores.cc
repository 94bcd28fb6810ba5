#include "experiments/adversarial/scores.h"

#include <algorithm>

#include "dialog/discriminate/confusion.h"
#include "experiments/engine/stats/auc.h"
#include "experiments/engine/stats/hypothesis.h"

namespace heed {
namespace {

constexpr size_t kAtOnce = 300;  // quotients whose draws are in memory together, 80 kB each

// p(real) of the passages that a run has both responses of.
struct Judged {
  std::vector<size_t> passages;
  std::vector<double> real, fake;
};

Judged judged_of(const AdversarialResults& results, const RunResult& run, const ScoredRow& row) {
  const Series& real = run.numbers.series(judged_key(row.judge, row.set, true));
  const Series& fake = run.numbers.series(judged_key(row.judge, row.set, false));
  Judged judged;
  for (size_t i = 0; i < std::min(real.size(), fake.size()); ++i) {
    if (results.corpus_of[i] != static_cast<int>(row.corpus) || !real[i] || !fake[i]) continue;
    judged.passages.push_back(i);
    judged.real.push_back(*real[i]);
    judged.fake.push_back(*fake[i]);
  }
  return judged;
}

using discriminate::Confusion;

// In the order of kScoreNames.
std::array<discriminate::Ratio, kScoreCount> ratios_of(const Confusion& counts) {
  const discriminate::Scores s = scores(counts);
  return {s.accuracy,       s.real.precision, s.real.recall, s.real.f1,
          s.fake.precision, s.fake.recall,    s.fake.f1};
}

void add(const Judged& judged, size_t i, double threshold, Confusion& counts) {
  counts.add(true, judged.real[i] >= threshold);
  counts.add(false, judged.fake[i] >= threshold);
}

// For each score, the sums within each conversation.
std::array<Quotient, kScoreCount> quotients_of(const AdversarialResults& results,
                                               const Judged& judged) {
  std::vector<Confusion> counts(results.cluster_count());
  for (size_t i = 0; i < judged.passages.size(); ++i)
    add(judged, i, 0.5, counts[results.clusters[judged.passages[i]]]);
  std::array<Quotient, kScoreCount> quotients;
  for (const Confusion& of_cluster : counts) {
    const auto ratios = ratios_of(of_cluster);
    for (size_t s = 0; s < kScoreCount; ++s) {
      quotients[s].top.push_back(static_cast<double>(ratios[s].top));
      quotients[s].bottom.push_back(static_cast<double>(ratios[s].bottom));
    }
  }
  return quotients;
}

double accuracy_of(const Judged& judged, double threshold) {
  Confusion counts;
  for (size_t i = 0; i < judged.real.size(); ++i) add(judged, i, threshold, counts);
  return scores(counts).accuracy.value().value_or(0);
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
    accuracies.push_back(accuracy_of(judged, 0.5));
    aucs.push_back(rank_sum(judged.real, judged.fake).auc);
    std::vector<int> clusters;
    for (const size_t passage : judged.passages) clusters.push_back(results.clusters[passage]);
    scored.push_back({judged.real, judged.fake, clusters, clusters});
    const auto threshold = runs[r]->numbers.value(threshold_key(results.corpora[row.corpus]));
    if (threshold) at_thresholds.push_back(accuracy_of(judged, *threshold));
  }
  row.accuracy = spread(accuracies);
  row.auc = spread(aucs);
  const auto mean_auc = clustered_auc(scored);
  if (mean_auc) row.auc_interval = mean_auc->interval;
  const bool own = row.judge == kDiscriminator && row.set == kRandomSet;
  if (own && at_thresholds.size() == runs.size()) row.at_threshold = spread(at_thresholds)->mean;
}

double p_of_chance(Resampled accuracy) {
  for (double& draw : accuracy.draws) draw -= 0.5;
  Sides sides;
  sides.add(accuracy);
  return sides.p_value();
}

bool has_judge(const RunResult& run, const std::string& judge, const std::string& set) {
  return run.numbers.has_series(judged_key(judge, set, true)) &&
         run.numbers.has_series(judged_key(judge, set, false));
}

}  // namespace

ScoredRows::ScoredRows(const AdversarialResults& results) {
  list(results);
  measure(results);
}

void ScoredRows::list(const AdversarialResults& results) {
  for (size_t corpus = 0; corpus < results.corpora.size(); ++corpus) {
    for (const std::string& set : results.sets()) {
      for (size_t v = 0; v < results.judges.size(); ++v) {
        const auto& of = results.judges[v].corpora;
        const auto runs = results.of(v);
        if (runs.empty() || std::find(of.begin(), of.end(), corpus) == of.end()) continue;
        if (results.judges[v].scenario && set != kRandomSet) continue;
        const auto add = [&](const char* judge) {
          const bool there = std::all_of(runs.begin(), runs.end(), [&](const RunResult* run) {
            return has_judge(*run, judge, set);
          });
          if (there)
            rows_.push_back({corpus, set, v, judge, runs.size(), results.judges[v].scenario});
        };
        add(kDiscriminator);
        for (const char* control : kControls) add(control);
      }
    }
  }
}

void ScoredRows::measure(const AdversarialResults& results) {
  std::vector<Resampled> accuracies;
  for (size_t first = 0; first < rows_.size();) {
    std::vector<Quotient> quotients;
    size_t end = first;
    for (; end < rows_.size() && quotients.size() < kAtOnce; ++end) {
      std::vector<Judged> of_runs;
      for (const RunResult* run : results.of(rows_[end].variant))
        of_runs.push_back(judged_of(results, *run, rows_[end]));
      for (const Judged& judged : of_runs) {
        for (Quotient& q : quotients_of(results, judged)) quotients.push_back(std::move(q));
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
        row.scores[s] = estimate(mean);
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
    if (judge.scenario || (row.judge == kDiscriminator && !judge.response_only)) continue;
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

}  // namespace heed
