// The variations of lab 8: ratios beside plain loops.
#include "labs/08-where-it-looks/variation.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "labs/support/check.h"

namespace heed::lab {
namespace {

struct Scored {
  double score, age;  // how many utterances stand between it and the query
};
// Of one side, by its number.
using Side = std::function<double(const std::vector<Scored>&, double)>;
using Ratio = bool (*)(double*, const double*, const bool*, int64_t);

// NaN where one side has no utterance. Mixed: the mistake of a history with distractions in it.
double by_loops(const Side& side, const std::vector<double>& scores, const bool* flags, int64_t end,
                bool mixed = false) {
  std::vector<Scored> distractions, history;
  for (int64_t k = 0; k < end; ++k) {
    const auto age = static_cast<double>(std::ssize(scores) - 2 - k);
    if (flags[k]) distractions.push_back({scores[k], age});
    if (!flags[k] || mixed) history.push_back({scores[k], age});
  }
  if (distractions.empty() || history.empty()) return NAN;
  return side(distractions, number(0)) / side(history, number(1));
}

// Flags of q utterances: each drawn, or the same for all but the query, or for all but one.
enum class Flags { drawn, all, none, one, all_but_one };

void check_ratio(Ratio ratio, const Side& side, Flags kind) {
  Draw draw;
  const int64_t q = kind == Flags::drawn ? draw.between(100, 140) : draw.between(6, 40);
  std::vector<double> scores(q);
  const auto flags = std::make_unique<bool[]>(q);
  for (int64_t k = 0; k < q; ++k) {
    scores[k] = draw.uniform(0.1, 3);
    if (k > 3 && k % 3 == 0) scores[k] = scores[k - 3];  // some are the same
    flags[k] = kind == Flags::drawn ? draw.between(0, 1) == 1
                                    : kind == Flags::all || kind == Flags::all_but_one;
  }
  if (kind == Flags::drawn) {  // both sides have two
    const int64_t first = draw.between(0, q - 2);
    for (int64_t k = 0; k < 4; ++k) {
      const int64_t place = first + k;
      flags[place < q - 1 ? place : place - (q - 1)] = k < 2;
    }
  } else if (kind == Flags::one || kind == Flags::all_but_one) {
    flags[draw.between(0, q - 2)] = kind == Flags::one;  // a side of a single utterance
  } else {
    flags[q - 1] = kind == Flags::none;  // the query alone does not make a side
  }
  double got = kUnwritten;
  const bool defined = ratio(&got, scores.data(), flags.get(), q);
  const double want = by_loops(side, scores, flags.get(), q - 1);
  if (std::isnan(want)) {
    expect(!defined && got == kUnwritten,
           "there is nothing on one side of the ratio, so it is undefined: not 0, and no number.");
    return;
  }
  expect(defined, "both sides have utterances, but the ratio is called undefined.");
  const Shape one = {1};
  expect_close(
      "the ratio", Tensor::full(one, got, DType::f64), Tensor::full(one, want, DType::f64),
      {.tolerance = {.relative = 1e-10},
       .suspects = {{"the query counts: it belongs to neither side",
                     Tensor::full(one, by_loops(side, scores, flags.get(), q), DType::f64)},
                    {"made with the distractions in the history, too",
                     Tensor::full(one, by_loops(side, scores, flags.get(), q - 1, true),
                                  DType::f64)},
                    {"upside down", Tensor::full(one, 1 / want, DType::f64)}},
       .law = "each side by itself, then one division; numbers are those of your name"});
}

void check_all(Ratio ratio, const Side& side) {
  for (const Flags kind : {Flags::drawn, Flags::none, Flags::all, Flags::one, Flags::all_but_one}) {
    check_ratio(ratio, side, kind);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace

LAB_VARIATION(QuantileRatio) {
  check_all(quantile_ratio, [](std::vector<Scored> all, double u) {
    std::sort(all.begin(), all.end(), [](Scored a, Scored b) { return a.score < b.score; });
    const double t = u * static_cast<double>(all.size() - 1);
    const auto i = static_cast<size_t>(t);
    const double next = all[std::min(i + 1, all.size() - 1)].score;
    return all[i].score + (t - static_cast<double>(i)) * (next - all[i].score);
  });
}

LAB_VARIATION(WeightedRatio) {
  check_all(weighted_ratio, [](const std::vector<Scored>& all, double r) {
    double sum = 0, total = 0;
    for (const Scored& one : all) {
      sum += std::pow(r, one.age) * one.score;
      total += std::pow(r, one.age);
    }
    return sum / total;
  });
}

}  // namespace heed::lab
