// What docs/results/gaps.md prints of the experiment is what its kept results say.
#include <gtest/gtest.h>

#include <sstream>

#include "base/file.h"
#include "experiments/gaps/experiment.h"
#include "tests/file_helpers.h"
#include "tests/paths.h"

namespace heed {
namespace {

TEST(GapsPage, HasTheTablesOfTheKeptResults) {
  const std::string docs = source_dir() + "/docs/results/gaps";
  const std::string page = read_file(docs + ".md", 1 << 24);
  for (const std::string corpus : {"/zh", "/en"}) {
    const TempDir dir;
    save(dir.path("tables"), gaps_experiment().report(docs + corpus));
    for (const char* name : {"gaps", "inserted", "changes", "claims"}) {
      SCOPED_TRACE(corpus + " " + name);
      std::istringstream lines(dir.read(std::string("tables/") + name + ".md"));
      int rows = 0;
      for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("|")) continue;
        ++rows;
        EXPECT_NE(page.find(line + "\n"), std::string::npos) << line;
      }
      EXPECT_GT(rows, 4);
    }
  }
}

}  // namespace
}  // namespace heed
