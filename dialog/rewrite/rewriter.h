// Writing turns out: with a model, with the gaps that are known, and by three rules.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dialog/rewrite/model.h"

namespace heed::rewrite {

// A gap that was found, with what fills it: an empty piece where null has the highest score, and
// the turn stays as it is.
struct Filled {
  Gap gap = {};
  std::vector<size_t> best =
      {};                 // places in GapExample::candidates, the highest score first, kBest
  double above_null = 0;  // how much higher the score of the best one is than that of null
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
// Where a gap is the model's own labels say, or, if they are `given`, the example's gaps. The
// progress is told how many are done.
std::vector<Rewrite> rewrite(const GapModel& model, const std::vector<GapExample>& examples,
                             bool given, int64_t batch,
                             const std::function<void(int64_t)>& progress = {});

// What filled gaps in the training part, and three rules beside a model.
class Rules {
 public:
  explicit Rules(const std::vector<GapExample>& training);
  // copy      leaves every gap as it is
  // nearest   the last run of the most frequent length of a filling in training
  // frequent  of all candidates what filled most gaps in training; of equal ones the nearest
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

// How well turns are written out. Of one example: numbers whose sums make every measure.
struct Outcome {
  struct Found {
    int64_t right = 0, guessed = 0, real = 0;
  };
  Found of_label[kLabels];    // right: of both the labels and the model
  int64_t gaps = 0;           // real ones
  int64_t answered = 0;       // of these, that a candidate fills
  int64_t among[kBest] = {};  // of these, where it is among the first 1, 2, 3
  bool exact = false;         // the text is the full form
};
// `found` has the labels and the text, `given` what fills the example's gaps, of the same model or
// rule.
std::vector<Outcome> outcomes(const std::vector<GapExample>& examples,
                              const std::vector<Rewrite>& found, const std::vector<Rewrite>& given);

struct Measured {
  struct Precision {
    double precision = 0, recall = 0, f1 = 0;
  };
  Precision border, pronoun, both;           // of the labels 1, 2, and of the two together
  double at[kBest] = {};                     // P@1 to P@3, of the gaps that a candidate fills
  double exact = 0, bleu = 0, answered = 0;  // the last: the share of such gaps
};
// Shares of none are 0.
Measured measured(const std::vector<GapExample>& examples, const std::vector<Rewrite>& found,
                  const std::vector<Rewrite>& given);

}  // namespace heed::rewrite
