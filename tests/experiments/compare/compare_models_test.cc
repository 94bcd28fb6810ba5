// What heed compare computes of models, of numbers that are made by hand.
#include "experiments/compare/compare_models.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dialog/text/measures.h"

namespace heed {
namespace {

constexpr size_t kExamples = 12;
const std::vector<int> kClusters = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10};

// Its -ln p, distractions and responses grow with `level`.
ComparedModel model(int level, const std::vector<std::string>& words = {}) {
  TokenCounts counts;
  for (const std::string& word : words) ++counts[word];
  ComparedModel m{.name = "m" + std::to_string(level), .path = "runs/m" + std::to_string(level)};
  m.vocabulary = Vocabulary::build(counts);
  m.results.resize(2);
  m.results[0].name = "none";
  m.results[1].name = "random:1.0";
  for (size_t i = 0; i < kExamples; ++i) {
    const double x = 1 + 0.1 * static_cast<double>(i % 4) + 0.2 * level;
    ExampleResult e;
    e.nll = 3 * x;
    e.tokens = 3;
    e.characters.all = 10;
    m.results[0].examples.push_back(e);
    e.means = {.distraction = x, .history = 2};
    m.results[1].examples.push_back(e);
    m.references.push_back({"a", "b", "c", "d", "e"});
    m.responses.push_back({"a", "b", "c", "d"});
    for (int more = 0; more < level + static_cast<int>(i % 2); ++more) {
      m.responses.back().push_back("e" + std::to_string(more));
    }
  }
  return m;
}

const ComparedRow& row_of(const std::vector<ComparedRow>& rows, const std::string& measure) {
  for (const ComparedRow& row : rows) {
    if (row.measure == measure) return row;
  }
  ADD_FAILURE() << measure;
  return rows.front();
}

TEST(CompareModels, EachChangeIsFromTheFirst) {
  const std::vector<ComparedModel> models = {model(0), model(1), model(3)};
  const auto rows = compare_models(models, {{"a", {0}}, {"b", {1}}, {"c", {2}}}, kClusters);
  ASSERT_EQ(rows.size(), 2 + text_measures().size());
  for (const ComparedRow& row : rows) {
    EXPECT_FALSE(row.changes[0]) << row.measure;
    for (const size_t g : {1, 2}) {
      EXPECT_NEAR(row.changes[g].value().value, row.values[g]->value - row.values[0]->value, 1e-12)
          << row.measure;
    }
  }
  for (const size_t g : {0, 1, 2}) {
    const double level = g == 2 ? 3 : static_cast<double>(g), x = 1.15 + 0.2 * level;
    EXPECT_NEAR(row_of(rows, "perplexity").values[g]->value, std::exp(x), 1e-9);
    EXPECT_NEAR(row_of(rows, "das_ratio").values[g]->value, x / 2, 1e-9);
    EXPECT_NEAR(row_of(rows, "mean_length").values[g]->value, 4.5 + level, 1e-9);
  }
  for (const char* of_all : {"distinct_1", "nasl"}) {
    EXPECT_NE(row_of(rows, of_all).values[1]->value, row_of(rows, of_all).values[0]->value);
  }
}

// Perplexities over other words have no change, whichever model of a group has them.
TEST(CompareModels, WordsOfEachModelOfAGroupCount) {
  const std::vector<ComparedModel> models = {model(0), model(1, {"other"}), model(2)};
  for (const std::vector<size_t>& group : {std::vector<size_t>{1, 2}, {2, 1}}) {
    const auto rows = compare_models(models, {{"a", {0}}, {"b", group}}, kClusters);
    EXPECT_FALSE(row_of(rows, "perplexity").changes[1]);
    EXPECT_TRUE(row_of(rows, "das_ratio").changes[1]);
    const ComparedRow& bits = row_of(rows, "bits_per_character");
    EXPECT_NEAR(bits.values[1]->value, 3 * 1.45 / (10 * std::log(2)), 1e-9);
    EXPECT_NEAR(bits.changes[1].value().value, 3 * 0.3 / (10 * std::log(2)), 1e-9);
  }
}

// A line has the numbers of its row: those of examples with their intervals, those of all responses
// together without.
TEST(CompareModels, TheTableHasTheNumbersOfTheRows) {
  const std::vector<ComparedModel> models = {model(0), model(1), model(3)};
  const std::vector<ComparedGroup> groups = {{"first", {0}}, {"both", {1, 2}}};
  const auto rows = compare_models(models, groups, kClusters);
  const Table table = comparison_table(rows, models, groups, "note");
  ASSERT_EQ(table.rows.size(), 2 * rows.size());
  for (size_t r = 0; r < rows.size(); ++r) {
    const ComparedRow& row = rows[r];
    SCOPED_TRACE(row.measure);
    for (const size_t g : {0, 1}) {
      const Row& line = table.rows[2 * r + g];
      EXPECT_EQ(line.group, row.title());
      EXPECT_EQ(line.label, groups[g].name);
      EXPECT_EQ(line.cells[0].value, row.values[g]->value);
      EXPECT_EQ(line.cells[0].deviation, row.deviations[g]);
      EXPECT_EQ(line.cells[0].interval.has_value(), row.of_examples());
      EXPECT_EQ(line.sources, g == 0 ? std::vector<std::string>{"runs/m0"}
                                     : (std::vector<std::string>{"runs/m1", "runs/m3"}));
    }
    const Cell &change = table.rows[2 * r + 1].cells[1], &p = table.rows[2 * r + 1].cells[2];
    EXPECT_EQ(change.value, row.changes[1]->value);
    EXPECT_FALSE(table.rows[2 * r].cells[1].value);
    EXPECT_EQ(p.value.has_value(), row.of_examples());
    if (!row.of_examples()) continue;
    EXPECT_EQ(change.interval->low, row.changes[1]->interval.low);
    EXPECT_EQ(change.interval->high, row.changes[1]->interval.high);
    EXPECT_EQ(p.value, row.corrected[1]);
  }
  const ComparedRow& perplexity = row_of(rows, "perplexity");
  EXPECT_GT(perplexity.corrected[1], perplexity.changes[1]->p_value);
  EXPECT_TRUE(print_cell(table.columns[1], table.rows[1].cells[1]).starts_with("+"));
}

// Changes are often known more closely than the numbers.
TEST(CompareModels, DigitsTellChangesApart) {
  ComparedRow row;
  row.set = "random:1.0", row.measure = "das_ratio";
  row.values = {Estimate{.value = 0.5, .interval = {0.2, 0.9}}};
  row.changes = {std::nullopt};
  EXPECT_EQ(row.digits(), 2);
  row.changes.push_back(Estimate{.value = 0.014, .interval = {0.0126, 0.0165}});
  EXPECT_EQ(row.digits(), 4);
}

TEST(CompareModels, AChangeIsPrintedWithItsSign) {
  const std::vector<ComparedModel> models = {model(0), model(3)};
  const auto of = [&](const std::vector<ComparedGroup>& groups, const char* measure) {
    const auto rows = compare_models(models, groups, kClusters);
    const ComparedRow& row = row_of(rows, measure);
    EXPECT_TRUE(std::isdigit(row.text(row.values[1])[0])) << row.text(row.values[1]);
    return row.text(row.changes[1], true).substr(0, 1);
  };
  for (const char* measure : {"perplexity", "mean_length", "nasl"}) {  // nasl has no interval
    EXPECT_EQ(of({{"a", {0}}, {"b", {1}}}, measure), "+") << measure;
    EXPECT_NE(of({{"b", {1}}, {"a", {0}}}, measure), "+") << measure;
  }
}

}  // namespace
}  // namespace heed
