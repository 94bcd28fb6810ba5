// The tables in docs/results/experiment, if they are kept. Slow: the p-values of 54 comparisons
// over hundreds of conversations take some hundred thousand draws.
#include "tests/experiments/distraction/reproduce_helpers.h"
#include "tests/paths.h"

namespace heed {
namespace {

TEST(KeptTables, AreThoseOfTheirResults) {
  const std::string kept = source_dir() + "/docs/results/experiment";
  if (!fs::exists(kept)) GTEST_SKIP() << "no results are kept";
  expect_tables_of_results(kept);
}

}  // namespace
}  // namespace heed
