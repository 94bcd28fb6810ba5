#include "dialog/probe/nex_cv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>

#include "base/error.h"
#include "dialog/stats/logistic.h"
#include "dialog/stats/standardise.h"
#include "tensor/random.h"

namespace heed::probe {
namespace {

// max(1, floor(t n)) of them, drawn, to the front; 0 of none.
template <class T> size_t draw_test(std::vector<T>& of, double share, Rng& rng) {
  if (of.empty() || share <= 0) return 0;
  for (size_t i = 0; i + 1 < of.size(); ++i) std::swap(of[i], of[i + rng.below(of.size() - i)]);
  return std::max<size_t>(1, static_cast<size_t>(share * static_cast<double>(of.size())));
}

Tensor rows_at(const Tensor& x, const std::vector<size_t>& places) {
  const Tensor rows = Tensor::empty({static_cast<int64_t>(places.size()), x.shape()[1]}, x.dtype());
  for (size_t i = 0; i < places.size(); ++i) {
    rows[static_cast<int64_t>(i)].copy_from(x[static_cast<int64_t>(places[i])]);
  }
  return rows;
}

// The largest score, and its softmax; a class without training examples has the score -infinity.
Guess best_of(const double* scores, int64_t classes) {
  const double* best = std::max_element(scores, scores + classes);
  double sum = 0;
  for (int64_t k = 0; k < classes; ++k) sum += std::exp(scores[k] - *best);
  return {static_cast<int32_t>(best - scores), 1 / sum};
}

}  // namespace

SmallRule parse_small_rule(const std::string& text) {
  SmallRule rule;
  const auto takes = [&](const char* name, auto& value) {
    if (!text.starts_with(name)) return false;
    const char* const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data() + std::string(name).size(), end, value);
    return error == std::errc() && at == end;
  };
  if (text == "none" || (takes("below:", rule.below) && rule.below > 0)) return rule;
  if (takes("share:", rule.share) && rule.share > 0 && rule.share < 1) return rule;
  throw UsageError("expected none, below:K with K > 0, or share:P with 0 < P < 1, got '" + text +
                   "'");
}

std::vector<int32_t> small_classes(const std::vector<int64_t>& counts, const SmallRule& rule) {
  std::vector<int32_t> order(counts.size()), small;
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return counts[a] < counts[b]; });
  const auto all = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  int64_t held = 0;
  for (const int32_t label : order) {
    const bool is_small = rule.below > 0
                              ? counts[label] < rule.below
                              : static_cast<double>(held) < rule.share * static_cast<double>(all);
    if (!is_small) break;
    held += counts[label];
    small.push_back(label);
  }
  std::sort(small.begin(), small.end());
  return small;
}

Division divide(const std::vector<int32_t>& labels, const std::vector<int64_t>& counts,
                const std::vector<int32_t>& small, double test_share, uint64_t seed,
                int repetition) {
  Rng rng(seed, "probe.nex-cv", static_cast<uint64_t>(repetition));
  std::vector<std::vector<size_t>> of_class(counts.size());
  for (size_t i = 0; i < labels.size(); ++i) of_class[labels[i]].push_back(i);
  Division result;
  std::vector<int32_t> drawn = small;
  drawn.resize(draw_test(drawn, test_share, rng));
  std::sort(drawn.begin(), drawn.end());
  result.negatives = drawn;
  for (size_t k = 0; k < of_class.size(); ++k) {
    const auto label = static_cast<int32_t>(k);
    std::vector<size_t>& of = of_class[k];
    size_t tested = 0;
    if (std::binary_search(small.begin(), small.end(), label)) {
      if (std::binary_search(drawn.begin(), drawn.end(), label)) tested = of.size();
    } else {
      tested = draw_test(of, test_share, rng);
    }
    const auto border = of.begin() + static_cast<std::ptrdiff_t>(tested);
    result.test.insert(result.test.end(), of.begin(), border);
    result.train.insert(result.train.end(), border, of.end());
  }
  std::sort(result.train.begin(), result.train.end());
  std::sort(result.test.begin(), result.test.end());
  return result;
}

std::vector<Guess> classify(const Tensor& x, const std::vector<int32_t>& labels,
                            const std::vector<size_t>& train, const std::vector<size_t>& test,
                            int64_t classes, bool standardise) {
  std::vector<LabelIds> sets;
  for (const size_t i : train) sets.push_back({labels[i]});
  const std::vector<int64_t> counts = count_labels(sets, classes);
  if (classes - std::count(counts.begin(), counts.end(), 0) < 2) {
    throw DataError("a classifier needs two classes to learn");
  }
  Tensor of_train = rows_at(x, train), of_test = rows_at(x, test);
  if (standardise) {
    const Standardiser to_unit(of_train);
    of_train = to_unit(of_train);
    of_test = to_unit(of_test);
  }
  const Logistic fitted = fit_logistic(of_train, sets, classes);
  std::vector<Guess> guesses;
  if (test.empty()) return guesses;
  const Tensor scores = fitted.scores(of_test);
  for (size_t i = 0; i < test.size(); ++i) {
    guesses.push_back(best_of(scores.data<double>() + static_cast<int64_t>(i) * classes, classes));
  }
  return guesses;
}

Outcome outcome(int32_t gold, const Guess& guess, double threshold) {
  const bool right = guess.label == gold;
  if (guess.confidence >= threshold) return right ? kRight : kWrong;
  if (gold == kNoClass) return kRightNone;
  return right ? kCautiousRight : kCautiousWrong;
}

NexScores nex_scores(const std::vector<int32_t>& gold, const std::vector<Guess>& guesses,
                     double threshold) {
  NexScores scores;
  struct Class {
    double both = 0, is = 0, said = 0;
  };
  std::map<int32_t, Class> classes;
  for (size_t i = 0; i < gold.size(); ++i) {
    ++scores.counts[outcome(gold[i], guesses[i], threshold)];
    const int32_t said = guesses[i].confidence >= threshold ? guesses[i].label : kNoClass;
    ++classes[gold[i]].is;
    ++classes[said].said;
    if (said == gold[i]) ++classes[said].both;
  }
  const auto n = static_cast<double>(gold.size());
  if (n == 0) return scores;
  for (const auto& [label, c] : classes) {
    const double f1 = 2 * c.both / (c.is + c.said);
    scores.f1_macro += f1 / static_cast<double>(classes.size());
    scores.f1_weighted += f1 * c.is / n;
  }
  const auto count = [&](Outcome o) { return static_cast<double>(scores.counts[o]); };
  scores.accuracy = (count(kRight) + count(kRightNone)) / n;
  const double wrong = count(kRightNone) + count(kCautiousWrong), right = count(kCautiousRight);
  if (wrong + right > 0) {
    scores.withheld_wrong = wrong / (wrong + right);
    scores.withheld_right = right / (wrong + right);
  }
  return scores;
}

}  // namespace heed::probe
