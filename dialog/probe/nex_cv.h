// Text classification that is measured with plausible negatives (Kuksenok & Martyniv 2019): small
// classes stand in for "none of these", which a chatbot meets and labelled data seldom hold.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace heed::probe {

constexpr int32_t kNoClass = -1;  // Ø: none of the classes is right

// Which classes are small: none; those of fewer than K examples; the rarest, of equals the first in
// the alphabet, until they hold the share P of the examples.
struct SmallRule {
  int64_t below = 0;  // K
  double share = 0;   // P, where K is 0
};
// "none", "below:5", "share:0.15". Throws UsageError.
SmallRule parse_small_rule(const std::string& text);
// Ascending. counts: examples of each class, the classes in the order of the alphabet.
std::vector<int32_t> small_classes(const std::vector<int64_t>& counts, const SmallRule& rule);

// Places of examples. Of every large class a share t goes to the test part; of the small ones all
// examples of a share t of the *classes* do, and are Ø there: max(1, floor(t n)) of n.
struct Division {
  std::vector<size_t> train, test;
  std::vector<int32_t> negatives;  // the classes that are Ø, ascending
};
// labels: the class of each example. Drawn by (seed, repetition).
Division divide(const std::vector<int32_t>& labels, const std::vector<int64_t>& counts,
                const std::vector<int32_t>& small, double test_share, uint64_t seed,
                int repetition);

// What a classifier says of a text: its best class, and the softmax of that.
struct Guess {
  int32_t label = kNoClass;
  double confidence = 0;
};
// Trains one logistic regression a class (dialog/stats/logistic.h) on the rows of x (n, d) at
// `train`; their guesses at `test`. Throws DataError where there are not two classes.
std::vector<Guess> classify(const Tensor& x, const std::vector<int32_t>& labels,
                            const std::vector<size_t>& train, const std::vector<size_t>& test,
                            int64_t classes, bool standardise);

// With a threshold theta a guess is sure where its confidence is at least theta, else withheld.
//   kRight           T: right and sure         kRightNone  TO: gold Ø, withheld
//   kCautiousRight   FCO: right, withheld      kCautiousWrong  FO: a class, but another, withheld
//   kWrong           F: the rest
enum Outcome { kRight, kRightNone, kCautiousRight, kCautiousWrong, kWrong, kOutcomes };
Outcome outcome(int32_t gold, const Guess& guess, double threshold);

// Of test examples with these classes, or Ø.
struct NexScores {
  std::array<int64_t, kOutcomes> counts = {};
  double accuracy = 0;  // (T + TO) / n
  // Over the classes that are true or said, Ø, which a withheld guess says, among them; weighted by
  // how often each is true.
  double f1_macro = 0, f1_weighted = 0;
  // Carefulness, of the guesses that were withheld the share of the wrong ones, (TO + FO) / all, as
  // the paper's text says, and of the right ones, FCO / all, as its program computes it.
  std::optional<double> withheld_wrong = {}, withheld_right = {};
};
NexScores nex_scores(const std::vector<int32_t>& gold, const std::vector<Guess>& guesses,
                     double threshold);

}  // namespace heed::probe
