// How well real responses are told from others: Bruni and Fernández, "Adversarial Evaluation for
// Open-Domain Dialogue Generation" (SIGDIAL 2017). The others are called fake: drawn at random, or
// generated.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heed::discriminate {

// What is ("real_...") and what it was judged to be ("..._as_real").
struct Confusion {
  int64_t real_as_real = 0, real_as_fake = 0, fake_as_real = 0, fake_as_fake = 0;

  void add(bool real, bool judged_real);
  int64_t count() const { return real_as_real + real_as_fake + fake_as_real + fake_as_fake; }
};

// A quotient of counts, in [0, 1]. Over several items both are sums, so that intervals can be drawn
// (experiments/engine/stats/statistics.h).
struct Ratio {
  int64_t top = 0, bottom = 0;
  std::optional<double> value() const;  // nothing, not 0, where the denominator is 0
};
// With one of the two classes as the positive one.
struct ClassScores {
  Ratio precision;  // of those judged to be of the class, those that are
  Ratio recall;     // of those that are, those that are judged to be
  Ratio f1;         // 2 right / (2 right + wrong + missed)
};
struct Scores {
  Ratio accuracy;
  ClassScores real, fake;
};
Scores scores(const Confusion& counts);

// What a classifier says of a passage: the probability that its response is real.
struct Prediction {
  double p_real = 0;
  bool real = false;  // whether it is
  std::string corpus = {};
};

// Judged real is what has p_real >= threshold.
Confusion confusion(const std::vector<Prediction>& predictions, double threshold = 0.5);

// The threshold with the highest accuracy; of several the one that is nearest to 0.5, and of two as
// near the lower one. Candidates are 0.5, the middles between neighbouring values of p_real, and
// what is below or above all of them. 0.5 where there are no predictions.
double best_threshold(const std::vector<Prediction>& predictions);
// The same for each corpus: a classifier that is trained on several may be shifted on one of them.
// They are to be chosen on other passages than they are used for.
std::map<std::string, double> best_thresholds(const std::vector<Prediction>& predictions);
// Judged by the threshold of its corpus; 0.5 for a corpus without one.
Confusion confusion(const std::vector<Prediction>& predictions,
                    const std::map<std::string, double>& thresholds);

}  // namespace heed::discriminate
