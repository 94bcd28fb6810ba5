// Simulated annotators with known errors: what can accuracy and agreement show?
#pragma once

#include <cstdint>

#include "dialog/people/judgements.h"

namespace heed::people {

// Half of the items are real. For each there is a common view, which is wrong with the error rate
// of its class. An annotator follows it with probability `shared`, and otherwise has an individual
// view that is wrong as often. So accuracy does not depend on `shared`, but agreement does: people
// can agree because they are right, because they prefer one answer, or because the same thing
// misleads them.
struct SimulatedPeople {
  int64_t items = 300, annotators = 3;
  double error_real = 0.3, error_fake = 0.3;  // P(judged fake | real), P(judged real | fake)
  double shared = 0;
};

struct Simulated {
  Key key;  // marked as simulated
  Judgements judgements;
};
// Every annotator judges every item. A function of the seed. Throws UsageError for invalid
// probabilities, and for fewer than two items or one annotator.
Simulated simulate(const SimulatedPeople& people, uint64_t seed);

// The limits for many items.
// With q_c = P(judged real) of class c, q their mean and s = shared:
//   accuracy = 1 - (error_real + error_fake) / 2
//   observed = mean over c of s^2 + (1 - s^2) (q_c^2 + (1 - q_c)^2)
//   expected = q^2 + (1 - q)^2,  pi = (observed - expected) / (1 - expected)
double expected_accuracy(const SimulatedPeople& people);
double expected_pi(const SimulatedPeople& people);  // NaN if all give one answer

}  // namespace heed::people
