// The tables in docs/results/experiment. Slow: the p-values of 54 comparisons
// over hundreds of conversations take some hundred thousand draws.
#include "tests/experiments/distraction/reproduce_helpers.h"
#include "tests/paths.h"

namespace heed {
namespace {

TEST(KeptTables, AreThoseOfTheirResults) {
  expect_tables_of_results(source_dir() + "/docs/results/experiment");
}

}  // namespace
}  // namespace heed
