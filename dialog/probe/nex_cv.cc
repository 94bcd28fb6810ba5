#include "dialog/probe/nex_cv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>

#include "base/error.h"
#include "base/path.h"
#include "dialog/data/corpus.h"
#include "dialog/data/formats/published.h"
#include "dialog/probe/probe.h"
#include "dialog/stats/logistic.h"
#include "dialog/stats/standardise.h"
#include "tensor/random.h"

namespace heed::probe {
namespace {

// max(1, floor(t n)) of them, drawn, to the front; 0 of none. In f64, t n may be just below a whole
// number that it is: 0.29 times 100 is 28.999999999999996.
template <class T> size_t draw_test(std::vector<T>& of, double share, Rng& rng) {
  if (of.empty() || share <= 0) return 0;
  for (size_t i = 0; i + 1 < of.size(); ++i) std::swap(of[i], of[i + rng.below(of.size() - i)]);
  return std::max<size_t>(1, static_cast<size_t>(share * static_cast<double>(of.size()) + 1e-9));
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

using Labelled = std::vector<std::pair<std::string, std::string>>;  // texts, each with its label

Labelled labelled_turns(const std::string& path, const std::string& label, size_t& left_out) {
  Labelled found;
  for (const Dialogue& dialogue :
       read_dialogues(path, {.limit = 0, .progress = {}, .notes = true})) {
    for (const Turn& turn : dialogue.turns) {
      const std::vector<std::string>& of = values_in(turn.notes->labels, label);
      if (of.size() != 1) {
        ++left_out;
      } else {
        found.emplace_back(turn.text, of[0]);
      }
    }
  }
  return found;
}

}  // namespace

ClassTexts read_class_texts(const std::string& data, const std::string& label,
                            const std::string& none) {
  ClassTexts result;
  const Labelled train = labelled_turns(find_dialogues(data, "train"), label, result.left_out);
  Labelled test;
  if (is_folder(data)) test = labelled_turns(find_part(data, "test"), label, result.left_out);
  std::map<std::string, int32_t> classes;
  for (const auto& [text, its] : train) {
    if (its != none) classes.emplace(its, 0);
  }
  if (classes.size() < 2) {
    throw DataError(data + ": needs turns with two values of the label " + label + ", has " +
                    std::to_string(classes.size()));
  }
  for (auto& [name, number] : classes) {
    number = static_cast<int32_t>(result.names.size());
    result.names.push_back(name);
  }
  const auto add = [&](const Labelled& part, bool of_none) {
    for (const auto& [text, its] : part) {
      const auto found = classes.find(its);
      if (of_none ? its != none : found == classes.end()) continue;
      result.texts.push_back(text);
      result.labels.push_back(of_none ? kNoClass : found->second);
    }
    return result.texts.size();
  };
  result.train = add(train, false);
  const size_t tested = add(test, false);
  add(train, true);
  if (add(test, true) == tested) {
    result.texts.resize(result.train);
    result.labels.resize(result.train);
  } else {
    result.unknown = static_cast<size_t>(std::count_if(test.begin(), test.end(), [&](auto& one) {
      return one.second != none && !classes.contains(one.second);
    }));
  }
  return result;
}

std::vector<int64_t> ClassTexts::counts() const {
  std::vector<int64_t> counts(names.size());
  for (size_t i = 0; i < train; ++i) ++counts[labels[i]];
  return counts;
}

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
  check_finite("features", x);
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

NexScores nex_scores(std::span<const int32_t> gold, std::span<const Guess> guesses,
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

void Tested::add(int32_t label, const Guess& guess, int cluster) {
  gold.push_back(label);
  guesses.push_back(guess);
  clusters.push_back(cluster);
}

NexScores Tested::scores(double threshold) const {
  NexScores all = nex_scores(gold, guesses, threshold);
  all.f1_macro = all.f1_weighted = 0;
  for (size_t r = 0, begin = 0; r < ends.size(); begin = ends[r++]) {
    const size_t count = ends[r] - begin;
    const NexScores one = nex_scores(std::span(gold).subspan(begin, count),
                                     std::span(guesses).subspan(begin, count), threshold);
    all.f1_macro += one.f1_macro / static_cast<double>(ends.size());
    all.f1_weighted += one.f1_weighted / static_cast<double>(ends.size());
  }
  return all;
}

Tested cross_validate(const Tensor& x, const ClassTexts& texts, const SmallRule& rule,
                      const CrossValidation& how, const std::function<void(int)>& progress) {
  const std::vector<int32_t> labels(
      texts.labels.begin(), texts.labels.begin() + static_cast<std::ptrdiff_t>(texts.train));
  const std::vector<int64_t> counts = texts.counts();
  Tested tested{small_classes(counts, rule)};
  for (int r = 0; r < how.repetitions; ++r) {
    progress(r + 1);
    const Division parts = divide(labels, counts, tested.small, how.test_share, how.seed, r);
    const std::vector<Guess> guesses =
        classify(x, labels, parts.train, parts.test, std::ssize(texts.names), how.standardise);
    for (size_t i = 0; i < guesses.size(); ++i) {
      const int32_t label = labels[parts.test[i]];
      const bool is_none =
          std::binary_search(parts.negatives.begin(), parts.negatives.end(), label);
      tested.add(is_none ? kNoClass : label, guesses[i], label);
    }
    tested.ends.push_back(tested.gold.size());
  }
  return tested;
}

Tested test_on_real(const Tensor& x, const ClassTexts& texts, bool standardise) {
  std::vector<size_t> train(texts.train), test(texts.texts.size() - texts.train);
  std::iota(train.begin(), train.end(), 0);
  std::iota(test.begin(), test.end(), texts.train);
  auto classes = static_cast<int>(texts.names.size());
  const std::vector<Guess> guesses = classify(x, texts.labels, train, test, classes, standardise);
  Tested tested;
  for (size_t i = 0; i < test.size(); ++i) {
    const int32_t label = texts.labels[test[i]];
    tested.add(label, guesses[i], label == kNoClass ? classes++ : label);
  }
  tested.ends.push_back(test.size());
  return tested;
}

}  // namespace heed::probe
