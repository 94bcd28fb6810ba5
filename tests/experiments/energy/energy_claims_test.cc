// The claims about trackers as rules: verdicts of numbers that are made by hand.
#include <gtest/gtest.h>

#include "experiments/energy/experiment.h"
#include "tests/experiments/claims_helpers.h"

namespace heed {
namespace {

enum : size_t { kHeads, kAgain, kLogisticFixed, kEnergyFixed, kLogistic, kEnergy };

TEST(EnergyClaims, PlacesAreThoseOfTheVariants) {
  const char* const names[] = {"heads",        "heads-again", "logistic-fixed",
                               "energy-fixed", "logistic",    "energy"};
  ASSERT_EQ(energy_variants().size(), std::size(names));
  for (size_t i = 0; i < std::size(names); ++i) EXPECT_EQ(energy_variants()[i].name, names[i]);
  EXPECT_EQ(kEnergy, 5u);
}

VariantNumbers all_hold() {
  VariantNumbers n;
  for (size_t v = 0; v < energy_variants().size(); ++v) {
    n.set(v, "joint", v == kEnergy || v == kEnergyFixed ? 0.8 : 0.7);
    n.set(v, "phi_difference", v == kEnergy ? 0.1 : 0.2);
    n.set(v, "survives", v == kEnergy ? 0.9 : 0.8);
  }
  return n;
}

TEST(EnergyClaims, HoldFailAndStayOpen) {
  EXPECT_EQ(verdicts(energy_showing(), all_hold()), "yyyyyy");
  EXPECT_EQ(verdicts(energy_showing(), {}), "------");
  EXPECT_EQ(verdicts(energy_showing(), energy_showing().paper), "yy----");
  expect_verdicts(energy_showing(), all_hold(),
                  {{kHeads, "joint", 0.9, "nyyyyy"},
                   {kHeads, "joint", 0.8, "?yyyyy"},
                   {kHeads, "joint", 0.796, "yyyyyy"},
                   {kHeads, "phi_difference", 0.05, "ynyyyy"},
                   {kAgain, "joint", 0.9, "yynyyy"},
                   {kLogisticFixed, "joint", 0.81, "yyynyy"},
                   {kLogistic, "joint", 0.803, "yyyyny"},
                   {kAgain, "survives", 0.95, "yyyyyn"}});
  EXPECT_EQ(decide(energy_showing().rules[1], energy_showing().paper).figure,
            "0.134 against 0.0330");
}

}  // namespace
}  // namespace heed
