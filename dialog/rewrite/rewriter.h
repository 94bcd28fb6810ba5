// Completing turns: by a model, with the known gaps, and by three rules.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dialog/rewrite/loss.h"
#include "dialog/stats/metrics.h"
#include "train/task.h"

namespace heed::rewrite {

// A detected gap with its filling, which is empty if null has the highest score; the turn then
// stays as it is.
struct Filled {
  Gap gap = {};
  std::vector<size_t> best =
      {};                 // indices into GapExample::candidates, the highest score first, kBest
  double above_null = 0;  // the difference between the best one's score and that of null
};
constexpr size_t kBest = 3;

struct Rewrite {
  std::vector<int32_t> labels;  // of the model
  std::vector<Filled> gaps;
  Tokens text;
  // Of each unit that was read, the share of softmax(F) over the candidates of a gap that ends
  // there, a mean over the gaps; of a model. Empty without gaps.
  std::vector<double> look = {};
};
// The gaps are those of the model's own labels or, if they are `given`, the example's.
std::vector<Rewrite> rewrite(const GapModel& model, const std::vector<GapExample>& examples,
                             bool given, int64_t batch_size, const OnValidation& progress = {});

// The fillings of the training part, and three rules as baselines for a model.
class Rules {
 public:
  explicit Rules(const std::vector<GapExample>& training);
  // copy      leaves every gap as it is
  // nearest   the last run with the most frequent length of a filling in training
  // frequent  the candidate that filled most gaps in training; among equals the nearest
  enum class Rule { kCopy, kNearest, kFrequent };
  // They are given the gaps.
  std::vector<Rewrite> rewrite(Rule rule, const std::vector<GapExample>& examples) const;

 private:
  std::map<Tokens, int64_t> counts_;
  int64_t length_ = 1;
};
constexpr std::pair<const char*, Rules::Rule> kRules[] = {{"copy", Rules::Rule::kCopy},
                                                          {"nearest", Rules::Rule::kNearest},
                                                          {"frequent", Rules::Rule::kFrequent}};

// The quality of completed turns. For one example: numbers whose sums give every measure.
struct Outcome {
  Tally of_label[kLabels];
  int64_t gaps = 0;           // real ones
  int64_t answered = 0;       // of these, gaps that a candidate fills
  int64_t among[kBest] = {};  // of these, gaps where it is among the first 1, 2, 3
  bool exact = false;         // the text is the full form
};
// `found` has the labels and the text, `given` the fillings of the example's gaps, by the same
// model or rule.
std::vector<Outcome> outcomes(const std::vector<GapExample>& examples,
                              const std::vector<Rewrite>& found, const std::vector<Rewrite>& given);

struct Measured {
  Tally border, pronoun, both;               // of the labels 1, 2, and of the two together
  double at[kBest] = {};                     // P@1 to P@3, over the gaps that a candidate fills
  double exact = 0, bleu = 0, answered = 0;  // the last: the share of such gaps
};
// Shares of nothing are 0.
Measured measured(const std::vector<GapExample>& examples, const std::vector<Rewrite>& found,
                  const std::vector<Rewrite>& given);

}  // namespace heed::rewrite
