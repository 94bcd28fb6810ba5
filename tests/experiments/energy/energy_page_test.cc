// What docs/results/energy.md prints of the experiment is what its kept results say.
#include <gtest/gtest.h>

#include <sstream>

#include "base/file.h"
#include "experiments/energy/experiment.h"
#include "tests/file_helpers.h"
#include "tests/paths.h"

namespace heed {
namespace {

TEST(EnergyPage, HasTheTablesOfTheKeptResults) {
  const std::string docs = source_dir() + "/docs/results/energy";
  const std::string page = read_file(docs + ".md", 1 << 24);
  const TempDir dir;
  save(dir.path("tables"), energy_experiment().report(docs));
  for (const char* name : {"accuracy", "distracted", "changes", "claims"}) {
    const std::string file = std::string("tables/") + name + ".md";
    std::istringstream lines(dir.read(file));
    int rows = 0;
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("|")) continue;
      ++rows;
      EXPECT_NE(page.find(line + "\n"), std::string::npos) << name << ": " << line;
    }
    EXPECT_GT(rows, 6) << name;
  }
}

}  // namespace
}  // namespace heed
