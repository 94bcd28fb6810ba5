// What the claims of an experiment say of numbers that are made by hand or printed in a paper.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "experiments/experiment.h"

namespace heed {

// A letter for each claim: y holds, n does not, ? undecided, - numbers are missing.
inline std::string verdicts(const Showing<>& showing, const VariantNumbers& numbers) {
  std::string text;
  for (const AboveClaim& rule : showing.rules) {
    const ClaimResult r = decide(rule, numbers);
    text += !r.holds ? (r.figure.empty() ? '-' : '?') : *r.holds ? 'y' : 'n';
  }
  return text;
}

// One number that is another one, and what the claims then say.
struct OtherNumber {
  size_t variant;
  const char* key;
  double value;
  const char* verdicts;
};
inline void expect_verdicts(const Showing<>& showing, const VariantNumbers& numbers,
                            const std::vector<OtherNumber>& others) {
  for (const OtherNumber& other : others) {
    VariantNumbers changed = numbers;
    changed.set(other.variant, other.key, other.value);
    EXPECT_EQ(verdicts(showing, changed), other.verdicts)
        << other.variant << " " << other.key << " " << other.value;
  }
}

}  // namespace heed
