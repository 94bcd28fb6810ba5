// What the folder of this experiment holds, and the rows that its tables are made of: how well
// someone tells the responses that were said from others.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "experiments/adversarial/variants.h"
#include "experiments/engine/report/claims.h"
#include "experiments/engine/report/variant_tables.h"

namespace heed {

extern const char kAdversarialReport[];  // report.json

struct AdversarialResults : Results {
  std::vector<JudgeVariant> judges;  // what the variants are
  std::vector<std::string> corpora, generators;
  std::vector<int> corpus_of;  // of each test passage

  // kRandomSet and the generators.
  std::vector<std::string> sets() const;
  // The variant of the corpus' own discriminator.
  size_t discriminator_of(size_t corpus) const { return 2 * corpus; }
};
// Throws DataError as load_results() of the engine does.
AdversarialResults load_adversarial_results(const std::string& folder, ResultsLayout layout);

// ---- rows

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
// What a row is called: "discriminator", "response-only, together".
std::string judge_label(const AdversarialResults& results, const ScoredRow& row);

struct AdversarialFound {
  AdversarialResults results;
  ScoredRows rows = ScoredRows(results);
};

// ---- the paper

// A "variant" is the place of a corpus in kPaperCorpora.
enum PaperCorpus : size_t { kSwitchboard, kMovieTriples, kSubTle };
constexpr const char* kPaperCorpora[] = {"switchboard", "movietriples", "subtle"};
// By the names of data/adversarial-evaluation.json: "random.discriminator.real.f1" (in [0, 1]),
// "generated.humans.accuracy", "random.humans.pi" (agreement, of the people or of the discriminator
// with their majority). Ours have them by the same names:
//   generated.discriminator.p: the one-sided exact binomial test of the accuracy against 1/2, of
//   the paper's; of ours generated.discriminator.low, .high: the accuracy's 95 % interval
//   cosine.p: of the rank-sum test of the cosines of passages judged real and fake, the largest of
//   the seeds, 1 where they do not agree; cosine.higher: 1 if those judged real are the higher
//   ones, else 0
//   attention.judged_real: mean attention mass on the response; of ours also the lowest and the
//   highest of the seeds, attention.judged_real.low, .high
const PaperNumbers& adversarial_paper();

// The paper's ten claims as rules that are computed, for its numbers and for ours. What it says of
// people needs people: without judgements there are no numbers (heed judge).
const std::vector<ClaimRule>& adversarial_claim_rules();
// Ours: of the discriminators of each corpus, or of the one of all together. Those of random
// responses and of the analysis have the place of a corpus, those of generated ones a place for
// each corpus and generator.
VariantNumbers claim_numbers(const AdversarialFound& found, bool together);
// The rules for the paper's numbers and for ours, by each kind of discriminator that there is.
Claims check_adversarial_claims(const AdversarialFound& found);

}  // namespace heed
