// What docs/results/generators.md prints of the experiments is what their kept results say.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "experiments/generators/paper.h"
#include "tests/file_helpers.h"
#include "tests/paths.h"

namespace heed::generators {
namespace {

TEST(GeneratorsPage, HasTheTablesOfTheKeptResults) {
  const std::string docs = source_dir() + "/docs/results/generators";
  const std::string page = read_file(docs + ".md", 1 << 24);
  const Experiment all[] = {hredgan_experiment(), thred_experiment(), keywords_experiment(),
                            expressive_experiment()};
  for (const Experiment& experiment : all) {
    const std::string kept = docs + "/" + experiment.name;
    if (!std::filesystem::exists(kept)) continue;  // not run yet
    const TempDir dir;
    save(dir.path("tables"), experiment.report(kept));
    for (const auto& file : std::filesystem::directory_iterator(dir.path("tables"))) {
      const std::string name = file.path().filename().string();
      if (!name.ends_with(".md") || name == "runs.md") continue;
      std::istringstream lines(read_file(file.path().string(), 1 << 20));
      int rows = 0;
      for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("|")) continue;
        ++rows;
        EXPECT_NE(page.find(line + "\n"), std::string::npos) << name << ": " << line;
      }
      EXPECT_GT(rows, 3) << name;
    }
  }
}

}  // namespace
}  // namespace heed::generators
