// What the tables of the paper are made of: how well someone tells the responses that were said
// from others.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "experiments/adversarial/evaluation.h"
#include "experiments/adversarial/results.h"
#include "experiments/engine/report/table.h"

namespace heed {

// The scores of a row, all quotients of sums over passages: accuracy, and precision, recall and F1
// of the responses that were said and of the others (discriminate::Scores).
constexpr const char* kScoreNames[] = {"accuracy",       "real.precision", "real.recall", "real.f1",
                                       "fake.precision", "fake.recall",    "fake.f1"};
constexpr size_t kScoreCount = std::size(kScoreNames);

// Who judged what. Every passage stands there with both responses.
struct ScoredRow {
  size_t corpus = 0;
  std::string set;  // kRandomSet or a generator
  size_t variant = 0;
  std::string judge;                   // kDiscriminator or a control
  size_t seeds = 0;                    // runs that there are
  const Scenario* scenario = nullptr;  // of the variant
  int64_t items = 0;                   // judgements: two for each passage; of one seed
  // Means over the seeds; intervals (95 %) are over conversations.
  std::array<std::optional<Estimate>, kScoreCount> scores = {};
  std::optional<Spread> accuracy = {};  // over the seeds
  std::optional<Spread> auc = {};  // P(p of a real one > p of another) + P(equal) / 2, rank_sum()
  std::optional<Interval> auc_interval = {};  // of its mean, over conversations: clustered_auc()
  // At the threshold that is best in the validation part; of discriminators on random responses.
  std::optional<double> at_threshold = {};
  // Two-sided, of "the accuracy is 1/2", by the draws of its interval; nothing of one seed.
  std::optional<double> p_value = {};
  // The discriminator's accuracy minus this control's, over the same conversations.
  std::optional<Estimate> below = {};
};

// All rows that there are runs for: by corpus, set, and then alone before together, the
// discriminator before its controls; scenarios, which have kRandomSet only, at the end of it.
class ScoredRows {
 public:
  explicit ScoredRows(const AdversarialResults& results);

  const std::vector<ScoredRow>& all() const { return rows_; }
  // Of discriminators (with context) on a set of a corpus; null if there is none.
  const ScoredRow* discriminator(size_t corpus, const std::string& set, bool together) const;

 private:
  void list(const AdversarialResults& results);
  void measure(const AdversarialResults& results);
  void compare(const AdversarialResults& results, const std::vector<Resampled>& accuracies);

  std::vector<ScoredRow> rows_;
};

}  // namespace heed
