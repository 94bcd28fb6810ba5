#include "dialog/discriminate/confusion.h"

#include <algorithm>
#include <cmath>

namespace heed::discriminate {
namespace {

constexpr double kEven = 0.5;

ClassScores class_scores(int64_t right, int64_t wrong, int64_t missed) {
  return {{right, right + wrong}, {right, right + missed}, {2 * right, 2 * right + wrong + missed}};
}

}  // namespace

void Confusion::add(bool real, bool judged_real) {
  if (real) {
    ++(judged_real ? real_as_real : real_as_fake);
  } else {
    ++(judged_real ? fake_as_real : fake_as_fake);
  }
}

std::optional<double> Ratio::value() const {
  if (bottom == 0) return std::nullopt;
  return static_cast<double>(top) / static_cast<double>(bottom);
}

Scores scores(const Confusion& c) {
  return {{c.real_as_real + c.fake_as_fake, c.count()},
          class_scores(c.real_as_real, c.fake_as_real, c.real_as_fake),
          class_scores(c.fake_as_fake, c.real_as_fake, c.fake_as_real)};
}

Confusion confusion(const std::vector<Prediction>& predictions, double threshold) {
  Confusion counts;
  for (const Prediction& p : predictions) counts.add(p.real, p.p_real >= threshold);
  return counts;
}

// From below all values upwards: a threshold that passes a value judges it fake instead of real.
double best_threshold(const std::vector<Prediction>& predictions) {
  std::vector<Prediction> sorted = predictions;
  std::sort(sorted.begin(), sorted.end(),
            [](const Prediction& a, const Prediction& b) { return a.p_real < b.p_real; });
  const Confusion even = confusion(predictions, kEven);
  int64_t most = even.real_as_real + even.fake_as_fake;
  double best = kEven;
  auto right = std::count_if(sorted.begin(), sorted.end(), [](const auto& p) { return p.real; });
  const auto consider = [&](double threshold) {
    const double distance = std::abs(threshold - kEven), so_far = std::abs(best - kEven);
    if (right < most || (right == most && distance >= so_far)) return;
    most = right;
    best = threshold;
  };
  if (!sorted.empty()) consider(sorted[0].p_real);
  for (size_t i = 0; i < sorted.size(); ++i) {
    right += sorted[i].real ? -1 : 1;
    const double here = sorted[i].p_real;
    if (i + 1 == sorted.size()) {
      consider(std::nextafter(here, INFINITY));
    } else if (sorted[i + 1].p_real > here) {
      // The middle rounds down to `here` where they are neighbours.
      consider(std::max(here + (sorted[i + 1].p_real - here) / 2, std::nextafter(here, INFINITY)));
    }
  }
  return best;
}

}  // namespace heed::discriminate
