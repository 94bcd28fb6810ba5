// What docs/results/history.md prints is what its kept results say.
#include <gtest/gtest.h>

#include <sstream>

#include "base/file.h"
#include "experiments/history/history.h"
#include "tests/file_helpers.h"
#include "tests/paths.h"

namespace heed {
namespace {

TEST(HistoryPage, HasTheTablesOfTheKeptResults) {
  const std::string docs = source_dir() + "/docs/results/history";
  const std::string page = read_file(docs + ".md", 1 << 24);
  const TempDir dir;
  const Report report = history::history_experiment().report(docs);
  save(dir.path("tables"), report);
  for (const char* name : {"systems", "turns", "shuffled", "perturbed"}) {
    const std::string file = std::string("tables/") + name + ".md";
    std::istringstream lines(dir.read(file.c_str()));
    int rows = 0;
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("|")) continue;
      ++rows;
      EXPECT_NE(page.find(line + "\n"), std::string::npos) << name << ": " << line;
    }
    EXPECT_EQ(rows, 4) << name;
  }
  // Verdicts of intervals that are clear of 0 on one side, or are not.
  const auto& claims = report.claims.claims;
  ASSERT_EQ(claims.size(), 6u);
  EXPECT_EQ(claims[0].ours[0].holds, std::optional(true));  // turns:1
  EXPECT_EQ(claims[1].ours[0].holds, std::nullopt);         // turns:4: yes and undecided
  EXPECT_EQ(claims[3].ours[0].holds, std::optional(true));  // order less presence
  EXPECT_EQ(claims[5].ours[0].holds, std::nullopt);         // words-shuffled
  EXPECT_NE(report.page.find("What is the history worth?"), std::string::npos);
}

}  // namespace
}  // namespace heed
