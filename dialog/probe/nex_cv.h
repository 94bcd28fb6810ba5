// Text classification measured with plausible negatives (Kuksenok & Martyniv 2019): small classes
// stand in for "none of these", which a chatbot meets but labelled data seldom have.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace heed::probe {

constexpr int32_t kNoClass = -1;  // Ø: none of the classes is right

// Texts of classes: those of the train part and, if either part has texts of no class, after them
// those of the test part and of no class, which are only tested.
struct ClassTexts {
  std::vector<std::string> texts = {}, names = {};  // names: the classes of the train part, sorted
  std::vector<int32_t> labels = {};                 // kNoClass: none of these
  size_t train = 0;     // the number of those from the train part with a class, the first ones
  size_t left_out = 0;  // turns without exactly one label
  size_t unknown = 0;   // tested texts of classes that the train part lacks, which are left out

  std::vector<int64_t> counts() const;  // of each class, in the train part
};
// The turns of a data directory, or of a single file, that have one value of `label`; `none` is the
// value that means that none of the classes is right. Throws DataError for fewer than two classes.
ClassTexts read_class_texts(const std::string& data, const std::string& label,
                            const std::string& none);

// Which classes are small: none; those with fewer than K examples; or the rarest, among equals the
// first in the alphabet, until they hold the share P of the examples.
struct SmallRule {
  int64_t below = 0;  // K
  double share = 0;   // P, where K is 0
};
// "none", "below:5", "share:0.15". Throws UsageError.
SmallRule parse_small_rule(const std::string& text);
// Ascending. counts: examples of each class, the classes in the order of the alphabet.
std::vector<int32_t> small_classes(const std::vector<int64_t>& counts, const SmallRule& rule);

// Indices of examples. A share t of every large class goes to the test part; of the small classes,
// a share t of the *classes* goes there with all examples, and is Ø: max(1, floor(t n)) of n.
struct Division {
  std::vector<size_t> train, test;
  std::vector<int32_t> negatives;  // the classes that are Ø, ascending
};
// labels: the class of each example. Drawn by (seed, repetition).
Division divide(const std::vector<int32_t>& labels, const std::vector<int64_t>& counts,
                const std::vector<int32_t>& small, double test_share, uint64_t seed,
                int repetition);

// A classifier's answer for a text: its best class, and the softmax of that class.
struct Guess {
  int32_t label = kNoClass;
  double confidence = 0;
};
// Trains one logistic regression per class (dialog/stats/logistic.h) on the rows of x (n, d) at
// `train`; returns their guesses at `test`. Throws DataError for fewer than two classes, and for
// rows that are not finite.
std::vector<Guess> classify(const Tensor& x, const std::vector<int32_t>& labels,
                            const std::vector<size_t>& train, const std::vector<size_t>& test,
                            int64_t classes, bool standardise);

// With a threshold theta a guess is sure if its confidence is at least theta, else withheld.
//   kRight           T: right and sure         kRightNone  TO: gold Ø, withheld
//   kCautiousRight   FCO: right, withheld      kCautiousWrong  FO: a class, but another, withheld
//   kWrong           F: the rest
enum Outcome { kRight, kRightNone, kCautiousRight, kCautiousWrong, kWrong, kOutcomes };
Outcome outcome(int32_t gold, const Guess& guess, double threshold);

// The scores of test examples with these classes, or Ø.
struct NexScores {
  std::array<int64_t, kOutcomes> counts = {};
  double accuracy = 0;  // (T + TO) / n
  // Over the classes that are true or predicted, including Ø, which a withheld guess predicts; the
  // weights are the frequencies of the true classes.
  double f1_macro = 0, f1_weighted = 0;
  // Carefulness, as a share of the withheld guesses: the wrong ones, (TO + FO) / all, as in the
  // paper's text, and the right ones, FCO / all, as in its program.
  std::optional<double> withheld_wrong = {}, withheld_right = {};
};
NexScores nex_scores(std::span<const int32_t> gold, std::span<const Guess> guesses,
                     double threshold);

// The tests of all repetitions. Texts of one class are not independent: they are a cluster.
struct Tested {
  std::vector<int32_t> small = {};  // classes
  std::vector<int32_t> gold = {};
  std::vector<Guess> guesses = {};
  std::vector<int> clusters = {};
  std::vector<size_t> ends = {};  // of each repetition

  void add(int32_t label, const Guess& guess, int cluster);
  // Counts are sums; F1, which is not a sum over texts, is the mean over the repetitions.
  NexScores scores(double threshold) const;
};

struct CrossValidation {
  double test_share = 0.2;
  int repetitions = 10;
  bool standardise = false;
  uint64_t seed = 1;
};
// x: a row for each text. `progress` is called with the number of each repetition.
Tested cross_validate(const Tensor& x, const ClassTexts& texts, const SmallRule& rule,
                      const CrossValidation& how, const std::function<void(int)>& progress);
// The classifier of the whole train part, on the texts that are only tested. A text of no class is
// a cluster of its own.
Tested test_on_real(const Tensor& x, const ClassTexts& texts, bool standardise);

}  // namespace heed::probe
