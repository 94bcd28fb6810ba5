// What the pages of docs/results print of experiments is what their kept results say: each line of
// a table stands on the page.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "base/file.h"
#include "experiments/experiment.h"
#include "tests/file_helpers.h"
#include "tests/paths.h"

namespace heed {
namespace {

struct Kept {
  const char *name, *page, *folder;  // in docs/results
  std::vector<const char*> tables;
  int rows;  // lines of a table that begin with "|": more than so many
};
const std::vector<Kept> kKept = {
    {"carryover",
     "carryover",
     "carryover",
     {"f1", "distances", "inserted", "changes", "claims"},
     6},
    {"energy", "energy", "energy", {"accuracy", "distracted", "changes", "claims"}, 6},
    {"energy", "energy", "energy-multiwoz", {"accuracy", "distracted", "changes", "claims"}, 6},
    {"gaps", "gaps", "gaps/zh", {"gaps", "inserted", "changes", "claims"}, 4},
    {"gaps", "gaps", "gaps/en", {"gaps", "inserted", "changes", "claims"}, 4},
    {"retrieval", "retrieval", "retrieval", {"ranks", "whitelists", "changes", "claims"}, 9},
    {"hredgan",
     "generators",
     "generators/hredgan",
     {"answers", "best", "words", "changes", "claims"},
     7},
    {"thred",
     "generators",
     "generators/thred",
     {"answers", "exchange", "distance", "changes", "claims"},
     6},
    {"keywords",
     "generators",
     "generators/keywords",
     {"answers", "more", "mmi", "changes", "claims"},
     4},
    {"expressive",
     "generators",
     "generators/expressive",
     {"answers", "control", "told", "changes", "claims"},
     3},
    {"history", "history", "history", {"systems", "turns", "shuffled", "perturbed", "claims"}, 7},
    {"history", "history", "history", {"das", "recall"}, 2},
    {"history", "history", "history-loss", {"systems", "turns", "perturbed"}, 7},
    {"adversarial",
     "adversarial",
     "adversarial",
     {"table1", "looks", "reliability-of-measures", "agreement", "claims"},
     2},
    {"comprehend", "comprehend", "comprehend/friendsqa", {"scores", "changes", "claims"}, 5},
    {"comprehend", "comprehend", "comprehend/molweni", {"scores", "changes", "read", "claims"}, 5},
    {"comprehend", "comprehend", "comprehend/molweni-fine", {"scores", "changes", "claims"}, 5},
    {"comprehend", "comprehend", "comprehend/molweni-gpu", {"scores", "changes", "claims"}, 4}};

// The trainings are shown with the number that chose their epoch, and not with one of the test
// part.
void expect_validation(const Report& report) {
  const Table& runs = table_of(report.tables, "runs");
  EXPECT_EQ(runs.columns[3].name.rfind("valid. ", 0), 0u);
  EXPECT_EQ(runs.columns[3].key.rfind("valid_", 0), 0u) << runs.columns[3].key;
  EXPECT_TRUE(runs.rows[0].cells[3].value);
}

TEST(KeptPages, HaveTheTablesOfTheKeptResults) {
  for (const Kept& kept : kKept) {
    const std::string docs = source_dir() + "/docs/results/";
    const std::string page = read_file(docs + kept.page + ".md", 1 << 24);
    const Experiment& experiment = experiment_of(all_experiments(), docs + kept.folder);
    ASSERT_EQ(experiment.name, kept.name);
    const TempDir dir;
    const Report report = experiment.report(docs + kept.folder);
    save(dir.path("tables"), report);
    expect_validation(report);
    for (const char* name : kept.tables) {
      SCOPED_TRACE(std::string(kept.folder) + " " + name);
      std::istringstream lines(dir.read(std::string("tables/") + name + ".md"));
      int rows = 0;
      for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("|")) continue;
        ++rows;
        EXPECT_NE(page.find(line + "\n"), std::string::npos) << line;
      }
      EXPECT_GT(rows, kept.rows);
    }
  }
}

// A folder of an older version has neither table of turns: the page says so in their sections.
TEST(KeptPages, SayWhatAFolderLacks) {
  const std::string folder = source_dir() + "/docs/results/history-loss";
  const Report report = experiment_of(all_experiments(), folder).report(folder);
  const std::string says = "<p class=\"note\">No run has these numbers.";
  const size_t first = report.page.find(says);
  ASSERT_NE(first, report.page.npos);
  EXPECT_NE(report.page.find(says, first + 1), report.page.npos);
}

// The folder lacks logs of four runs and three of the six test sets; its page prints other
// intervals than the report, of the same numbers.
TEST(KeptPages, MediationIsOpened) {
  const std::string folder = source_dir() + "/docs/results/mediation";
  const Experiment& experiment = experiment_of(all_experiments(), folder);
  ASSERT_EQ(experiment.name, "mediation");
  const TempDir dir;
  const Report report = experiment.report(folder);
  expect_validation(report);
  EXPECT_EQ(report.page.find("computed in"), report.page.npos);  // no run kept its times
  save(dir.path("tables"), report);
  const auto json = nlohmann::json::parse(dir.read("tables/random-1.0.json"));
  const double known[][2] = {{0.88, 24.1}, {0.87, 5.8}, {0.76, 5.6}};  // of static-ui, as printed
  for (size_t row = 0; row < std::size(known); ++row) {
    const auto& cells = json["rows"][row]["cells"];
    EXPECT_NEAR(cells[0]["value"], known[row][0], 0.005) << row;
    EXPECT_NEAR(cells[1]["value"], known[row][1], 0.05) << row;
  }
}

std::string with_commas(int64_t n) {
  return n < 1000 ? std::to_string(n)
                  : with_commas(n / 1000) + "," + std::to_string(1000 + n % 1000).substr(1);
}

// docs/carryover.md: of each distance the candidates that hold, and the rules' F1 from 1 on.
TEST(KeptPages, CarryoverHasTheCountsAndRulesOfItsItems) {
  const std::string docs = source_dir() + "/docs/";
  const std::string page = read_file(docs + "carryover.md", 1 << 24);
  const Numbers kept = load_numbers(docs + "results/carryover/independent-seed1/evaluation.json");
  const auto line_of = [&](const std::string& begin) {
    const size_t at = page.find("\n" + begin + " | ");
    return at == page.npos ? "" : page.substr(at + 1, page.find('\n', at + 1) - at - 1);
  };
  for (const std::string set : {"same", "cross"}) {
    std::string line = line_of("| test, " + set + " service");
    for (const char* distance : {"0", "1", "2", "3", "4", "5", ">=6"}) {
      const auto right = kept.value("groups." + set + "." + distance + ".right");
      const std::string cell = "| " + with_commas(static_cast<int64_t>(right.value())) + " / ";
      const size_t at = line.find(cell);
      EXPECT_NE(at, line.npos) << set << " " << distance << cell;
      line = line.substr(std::min(line.size(), at + 1));
    }
  }
  for (const auto& [rule, begin] :
       {std::pair("everything", "| `everything` holds"),
        {"latest", "| `latest` value of a key"},
        {"latest-user", "| `latest-user`: the latest that the user said"}}) {
    char text[32];
    std::snprintf(text, sizeof text, "| %.4f |",
                  kept.value("rules." + std::string(rule) + ".f1_same").value());
    EXPECT_TRUE(line_of(begin).ends_with(text)) << rule << text;
  }
}

}  // namespace
}  // namespace heed
