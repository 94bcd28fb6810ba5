// How well real responses are distinguished from others: Bruni and Fernández, "Adversarial
// Evaluation for Open-Domain Dialogue Generation" (SIGDIAL 2017). The others are called fake: drawn
// at random, or generated.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace heed::discriminate {

// The truth ("real_...") and the judgement ("..._as_real").
struct Confusion {
  int64_t real_as_real = 0, real_as_fake = 0, fake_as_real = 0, fake_as_fake = 0;

  void add(bool real, bool judged_real);
  int64_t count() const { return real_as_real + real_as_fake + fake_as_real + fake_as_fake; }
};

// A quotient of counts, in [0, 1]. Over several items both are sums, so that intervals can be
// computed (experiments/engine/stats/statistics.h).
struct Ratio {
  int64_t top = 0, bottom = 0;
  std::optional<double> value() const;  // nothing, rather than 0, if the denominator is 0
};
// With one of the two classes as the positive one.
struct ClassScores {
  Ratio precision;  // the share of the items judged to be of the class that are
  Ratio recall;     // the share of the items of the class that are judged so
  Ratio f1;         // 2 right / (2 right + wrong + missed)
};
struct Scores {
  Ratio accuracy;
  ClassScores real, fake;
};
Scores scores(const Confusion& counts);

// A classifier's output for a passage: the probability that its response is real.
struct Prediction {
  double p_real = 0;
  bool real = false;  // whether it is
};

// Items with p_real >= threshold are judged real.
Confusion confusion(const std::vector<Prediction>& predictions, double threshold = 0.5);

// The threshold with the highest accuracy; among several the one nearest to 0.5, and of two equally
// near ones the lower. Candidates are 0.5, the midpoints between neighbouring values of p_real, and
// values below and above all of them. 0.5 if there are no predictions. Choose it on other passages
// than those that it is used for.
double best_threshold(const std::vector<Prediction>& predictions);

}  // namespace heed::discriminate
