#include "dialog/people/simulate.h"

#include <cmath>

#include "base/error.h"
#include "tensor/random.h"

namespace heed::people {
namespace {

double agreement(double q) {
  return q * q + (1 - q) * (1 - q);
}

void check(const SimulatedPeople& people) {
  if (people.items < 2 || people.annotators < 1) {
    throw UsageError("simulate: expected two items or more, and an annotator");
  }
  for (const double p : {people.error_real, people.error_fake, people.shared}) {
    if (!(p >= 0 && p <= 1)) throw UsageError("simulate: expected probabilities from 0 to 1");
  }
}

}  // namespace

Simulated simulate(const SimulatedPeople& people, uint64_t seed) {
  check(people);
  Simulated result;
  result.key.simulated = true;
  for (int64_t a = 1; a <= people.annotators; ++a) {
    result.judgements.annotators.push_back("simulated-" + std::to_string(a));
  }
  for (int64_t i = 0; i < people.items; ++i) {
    Rng rng(seed, "judge.simulate", static_cast<uint64_t>(i));
    const int truth = i % 2 == 0 ? kReal : kFake;
    const double error = truth == kReal ? people.error_real : people.error_fake;
    const auto view = [&] { return rng.uniform() < error ? 1 - truth : truth; };
    const int common = view();
    result.key.items.push_back({.id = std::to_string(i + 1), .truth = truth});
    for (int64_t a = 0; a < people.annotators; ++a) {
      const int own = view();
      const int choice = rng.uniform() < people.shared ? common : own;
      result.judgements.list.push_back(
          {.item = static_cast<size_t>(i), .annotator = static_cast<size_t>(a), .choice = choice});
    }
  }
  return result;
}

double expected_accuracy(const SimulatedPeople& people) {
  return 1 - (people.error_real + people.error_fake) / 2;
}

double expected_pi(const SimulatedPeople& people) {
  const double real = 1 - people.error_real, fake = people.error_fake;
  const double both = people.shared * people.shared;
  const double observed = both + (1 - both) * (agreement(real) + agreement(fake)) / 2;
  const double expected = agreement((real + fake) / 2);
  return expected >= 1 ? NAN : (observed - expected) / (1 - expected);
}

}  // namespace heed::people
