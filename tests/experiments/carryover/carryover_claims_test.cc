// The claims on slot carryover: what the paper's own numbers say, and numbers that say otherwise.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "experiments/carryover/experiment.h"
#include "tests/experiments/claims_helpers.h"
#include "tests/paths.h"

namespace heed {
namespace {

enum : size_t { kAlone, kUnordered, kByTurn, kInOrder, kAverage, kAttention };

// All four hold in its Table 3; the last one is ours.
TEST(CarryoverClaims, HoldInThePapersNumbers) {
  const VariantNumbers& paper = carryover_showing().paper;
  EXPECT_EQ(verdicts(carryover_showing(), paper), "yyyy-");
  const auto figure = [&](size_t claim) {
    return decide(carryover_showing().rules[claim], paper).figure;
  };
  EXPECT_EQ(figure(0), "0.816 against 0.782; 0.832 against 0.816");
  EXPECT_EQ(figure(1), "0.832 against 0.717");
  EXPECT_EQ(figure(2), "0.409 against 0.0000; the best of 5");
  EXPECT_EQ(figure(3), "0.853 against 0.832");
}

TEST(CarryoverClaims, PlacesAreThoseOfTheVariants) {
  const char* const names[] = {"independent",      "pointer-none",    "pointer-turn",
                               "pointer-temporal", "pointer-average", "self-attention"};
  ASSERT_EQ(carryover_variants().size(), std::size(names));
  for (size_t i = 0; i < std::size(names); ++i) EXPECT_EQ(carryover_variants()[i].name, names[i]);
}

TEST(CarryoverClaims, AreDecidedByOurs) {
  VariantNumbers all;
  const double carried[] = {0.85, 0.80, 0.82, 0.84, 0.81, 0.86};
  for (size_t v = 0; v < std::size(carried); ++v) {
    all.set(v, "f1_carried", carried[v]);
    all.set(v, "f1_far", v == kAttention ? 0.8 : 0.7);
    for (const char* rule : {"everything", "latest", "latest-user"}) {
      all.set(v, "rules." + std::string(rule) + ".f1_carried", 0.83);
    }
  }
  EXPECT_EQ(verdicts(carryover_showing(), all), "yyyyy");
  EXPECT_EQ(verdicts(carryover_showing(), {}), "-----");
  expect_verdicts(carryover_showing(), all,
                  {{kByTurn, "f1_carried", 0.79, "nyyyy"},
                   {kByTurn, "f1_carried", 0.85, "nyyyy"},
                   {kAverage, "f1_carried", 0.85, "ynyyy"},
                   {kAlone, "f1_far", 0.9, "yynyy"},
                   {kInOrder, "f1_carried", 0.87, "yyyny"},
                   {kAlone, "rules.latest.f1_carried", 0.9, "yyyyn"}});
}

// The kept runs and their tables, which take a while.
const std::pair<Findings, std::vector<Table>>& kept_carryover() {
  static const auto kKept = [] {
    const Showing<>& showing = carryover_showing();
    Findings found =
        load_findings(source_dir() + "/docs/results/carryover",
                      {.kind = "carryover", .variants = carryover_variants()}, showing.measured);
    std::vector<Table> tables = showing.tables(found);
    return std::pair(std::move(found), std::move(tables));
  }();
  return kKept;
}

// Of the kept runs: the difference of the means, and an interval that is narrower than those of the
// two, which have the same dialogues.
TEST(CarryoverTables, LossesArePaired) {
  const auto& [found, tables] = kept_carryover();
  const auto inserted = std::find_if(tables.begin(), tables.end(),
                                     [](const Table& table) { return table.id == "inserted"; });
  ASSERT_NE(inserted, tables.end());
  ASSERT_EQ(inserted->columns.size(), 5u);  // 0, 4 and 16 turns, lost by 4 and by 16
  ASSERT_EQ(inserted->rows.size(), 6u);
  const auto width = [](const Cell& cell) { return cell.interval->high - cell.interval->low; };
  for (const Row& row : inserted->rows) {
    for (const size_t more : {1, 2}) {
      const Cell &none = row.cells[0], &some = row.cells[more], &lost = row.cells[2 + more];
      SCOPED_TRACE(row.label + " " + inserted->columns[more].name);
      EXPECT_NEAR(lost.value.value(), *none.value - *some.value, 1e-9);
      EXPECT_LT(lost.interval->low, *lost.value);
      EXPECT_GT(lost.interval->high, *lost.value);
      EXPECT_LT(width(lost), width(none) + width(some));
      EXPECT_GT(lost.deviation.value(), 0);
    }
  }
}

// Each rule stands below the models with its own numbers, which all runs have.
TEST(CarryoverTables, RulesHaveTheirOwnRows) {
  const auto& [found, tables] = kept_carryover();
  const auto f1 = std::find_if(tables.begin(), tables.end(),
                               [](const Table& table) { return table.id == "f1"; });
  ASSERT_NE(f1, tables.end());
  const std::vector<std::pair<std::string, std::string>> rules = {
      {"carry everything", "everything"},
      {"latest value of a key", "latest"},
      {"latest value the user said", "latest-user"}};
  ASSERT_EQ(f1->rows.size(), 6 + rules.size());
  std::set<double> different;
  for (size_t i = 0; i < rules.size(); ++i) {
    const Row& row = f1->rows[6 + i];
    EXPECT_EQ(row.label, rules[i].first);
    EXPECT_TRUE(row.reference);
    ASSERT_EQ(row.cells.size(), f1->columns.size());
    for (size_t c = 0; c < row.cells.size(); ++c) {
      for (const RunResult& run : found.results.runs) {
        EXPECT_EQ(row.cells[c].value,
                  run.numbers.value("rules." + rules[i].second + "." + f1->columns[c].key))
            << row.label << f1->columns[c].key;
      }
      different.insert(row.cells[c].value.value());
    }
  }
  EXPECT_GT(different.size(), 6u);
}

}  // namespace
}  // namespace heed
