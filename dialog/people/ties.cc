#include "dialog/people/ties.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "tensor/random.h"

namespace heed::people {
namespace {

// One after the other is drawn of what is left: a tie with probability ties left / pairs left.
int64_t draw(int64_t pairs, int64_t ties, int64_t size, Rng& rng) {
  int64_t drawn = 0;
  for (int64_t i = 0; i < size; ++i) {
    const auto left = static_cast<uint64_t>(pairs - i);
    if (rng.below(left) < static_cast<uint64_t>(ties - drawn)) ++drawn;
  }
  return drawn;
}

// The number of ties below which there are `rank` samples.
int64_t of_rank(const std::vector<int64_t>& histogram, int64_t rank) {
  int64_t k = 0;
  for (int64_t below = histogram[0]; below <= rank; below += histogram[static_cast<size_t>(k)]) ++k;
  return k;
}

}  // namespace

TieSamples sample_ties(int64_t pairs, int64_t ties, int64_t size, int64_t samples, uint64_t seed) {
  if (pairs < 1 || ties < 0 || ties > pairs || size < 1 || size > pairs || samples < 1) {
    throw UsageError("sample_ties: expected 0 <= ties <= pairs and samples of 1 to `pairs` pairs");
  }
  TieSamples result;
  result.histogram.assign(static_cast<size_t>(size) + 1, 0);
  for (int64_t s = 0; s < samples; ++s) {
    Rng rng(seed, "judge.ties", static_cast<uint64_t>(s));
    ++result.histogram[static_cast<size_t>(draw(pairs, ties, size, rng))];
  }
  const auto n = static_cast<double>(samples), m = static_cast<double>(size),
             all = static_cast<double>(pairs);
  double sum = 0, squares = 0;
  for (int64_t k = 0; k <= size; ++k) {
    const double share = static_cast<double>(k) / m;
    const auto count = static_cast<double>(result.histogram[static_cast<size_t>(k)]);
    sum += count * share;
    squares += count * share * share;
    if (2 * k >= size) result.half_or_more += count / n;
  }
  const double p = static_cast<double>(ties) / all;
  result.share = p;
  result.mean = sum / n;
  result.deviation = std::sqrt(std::max(0.0, squares / n - result.mean * result.mean));
  result.expected_deviation = pairs == 1 ? 0 : std::sqrt(p * (1 - p) / m * (all - m) / (all - 1));
  result.low = static_cast<double>(of_rank(result.histogram, samples / 40)) / m;
  result.high = static_cast<double>(of_rank(result.histogram, samples - 1 - samples / 40)) / m;
  return result;
}

}  // namespace heed::people
