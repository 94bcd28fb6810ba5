// Rows of judges: intervals over clusters of items.
#include "experiments/measure/judged_rows.h"

#include <gtest/gtest.h>

#include "dialog/text/format.h"
#include "experiments/measure/measure_json.h"
#include "experiments/measure/real_or_fake.h"

namespace heed {
namespace {

// Three clusters of four items, in no order; all of a cluster are judged alike, and one cluster
// wrongly. Of 27 draws of three clusters 8 hold right ones only and 1 none: more than 2.5 %.
TEST(JudgedRows, ItemsOfAClusterAreDrawnTogether) {
  JudgedRow of_items{.name = "a"};
  std::vector<int> cluster;
  for (int i = 0; i < 12; ++i) {
    cluster.push_back(2 - i % 3);
    of_items.items.emplace_back().add(/*real=*/true, /*judged_real=*/cluster.back() != 1);
  }
  JudgedRow of_clusters = of_items;
  measure(of_items, 1);
  measure(of_clusters, 1, cluster);
  const auto accuracy = [](const JudgedRow& row) { return row.metrics.at(0).value(); };
  EXPECT_DOUBLE_EQ(accuracy(of_items).value, 8.0 / 12);
  EXPECT_DOUBLE_EQ(accuracy(of_clusters).value, 8.0 / 12);
  EXPECT_GT(accuracy(of_items).interval.low, 0.3);
  EXPECT_LT(accuracy(of_items).interval.high, 0.95);
  EXPECT_EQ(accuracy(of_clusters).interval.low, 0);
  EXPECT_EQ(accuracy(of_clusters).interval.high, 1);
}

// Who chose nothing, as in a tie, is not counted as wrong: 5 of 6 right are 7 of 64 ways, twice.
TEST(JudgedRows, WhatWasNotChosenIsNotTested) {
  JudgedRow row{.name = "judge", .items = std::vector<discriminate::Confusion>(8)};
  for (size_t i = 0; i < 6; ++i) row.items[i].add(/*real=*/true, /*judged_real=*/i > 0);
  EXPECT_DOUBLE_EQ(against_chance(row).p_value, 14 / 64.0);
}

TEST(JudgedRows, ASeedHasItsOwnIntervals) {
  const auto interval = [](uint64_t seed) {
    JudgedRow row{.name = "judge"};
    for (int i = 0; i < 60; ++i) row.items.emplace_back().add(i % 2 == 0, i * 37 % 60 < 33);
    measure(row, seed);
    return to_json(row).dump();
  };
  EXPECT_EQ(interval(2), interval(2));
  EXPECT_NE(interval(1), interval(2));
}

// Of real ones 4 as real, 1 as fake; of fake ones 2 as real, 3 as fake.
TEST(JudgedRows, EachNumberIsItsOwn) {
  JudgedRow row{.name = "judge"};
  row.items = {{.real_as_real = 3, .real_as_fake = 1, .fake_as_real = 2, .fake_as_fake = 1},
               {.real_as_real = 1, .real_as_fake = 0, .fake_as_real = 0, .fake_as_fake = 2}};
  measure(row, 1);
  const nlohmann::ordered_json json = to_json(row);
  EXPECT_EQ(json["counts"].dump(),
            R"({"real_as_real":4,"real_as_fake":1,"fake_as_real":2,"fake_as_fake":3})");
  EXPECT_DOUBLE_EQ(json["accuracy"]["value"], 7.0 / 10);
  const double expected[2][3] = {{4.0 / 6, 4.0 / 5, 8.0 / 11}, {3.0 / 4, 3.0 / 5, 6.0 / 9}};
  const char *const groups[] = {"real", "fake"}, *const names[] = {"precision", "recall", "f1"};
  const auto columns = columns_of({row, row});
  ASSERT_EQ(columns.size(), 1u + 7);
  EXPECT_EQ(columns[0], (std::vector<std::string>{"", "judge", "judge"}));
  EXPECT_EQ(columns[1][0], "accuracy");
  EXPECT_TRUE(columns[1][2].starts_with("0.700 [")) << columns[1][2];
  for (size_t g = 0; g < 2; ++g) {
    for (size_t n = 0; n < 3; ++n) {
      const std::vector<std::string>& column = columns[2 + 3 * g + n];
      EXPECT_DOUBLE_EQ(json[groups[g]][names[n]]["value"], expected[g][n]) << groups[g] << names[n];
      EXPECT_EQ(column[0], std::string(groups[g]) + " " + names[n]);
      EXPECT_EQ(column[1].substr(0, 5), decimal(expected[g][n], 3)) << column[0];
    }
  }
}

// Nobody judged the first item, and the last one is undecided. Of the five others the majority is
// right about four, the classifier about two of the six: of single judgements 14 of 19 are right.
class JudgedItems : public testing::Test {
 protected:
  JudgedItems() {
    const bool real[] = {true, true, false, false, true, false, true};
    const int as_real[] = {0, 3, 3, 0, 2, 0, 1}, as_fake[] = {0, 0, 1, 3, 1, 4, 1};
    for (size_t item = 0; item < 7; ++item) {
      key.items.push_back(
          {.id = std::to_string(item), .truth = real[item] ? people::kReal : people::kFake});
      for (int n = 0; n < as_real[item]; ++n) choose(item, people::kReal);
      for (int n = 0; n < as_fake[item]; ++n) choose(item, people::kFake);
    }
  }
  void choose(size_t item, int choice) { list.push_back({.item = item, .choice = choice}); }

  people::Key key;
  std::vector<people::Judgement> list;
};

// At least 4 of 5 and at most 1: 12 of 32. Of the real ones 0.8 is above 0.4 and 0.25, 0.3 above
// 0.25: U = 3, and of 20 ways 7 have no more. Two items are right by people alone: 2 of 4.
TEST_F(JudgedItems, EachTestIsOfItsRow) {
  const std::vector<double> p_real = {0.1, 0.2, 0.9, 0.4, 0.3, 0.25, 0.8};
  const RealOrFake n = judge_items(key, votes_of(key, list), p_real, 1);
  const auto json = to_json(n);
  EXPECT_DOUBLE_EQ(json["majority"]["accuracy"]["value"], 4 / 5.0);
  EXPECT_DOUBLE_EQ(json["majority"]["p_against_chance"], 12 / 32.0);
  EXPECT_DOUBLE_EQ(json["classifier"]["accuracy"]["value"], 3 / 6.0);
  EXPECT_DOUBLE_EQ(json["classifier"]["p_against_chance"], 1);
  EXPECT_DOUBLE_EQ(json["classifier"]["auc"], 3 / 9.0);
  EXPECT_DOUBLE_EQ(json["classifier"]["p_rank_sum"], 14 / 20.0);
  EXPECT_EQ(json["classifier"]["only_majority_right"], 2);
  EXPECT_EQ(json["classifier"]["only_classifier_right"], 0);
  EXPECT_DOUBLE_EQ(json["classifier"]["p_mcnemar"], 2 / 4.0);
  EXPECT_EQ(n.auc.value().clusters, 6);
  const std::string text = text_of(n, 300);
  for (const char* part : {"majority against chance: p = 0.37; undecided items: 1",
                           "classifier against chance: p = 1; AUC 0.333", "McNemar p = 0.5\n"}) {
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text;
  }
}

TEST_F(JudgedItems, ASeedHasItsOwnIntervals) {
  std::vector<double> p_real;
  key.items.clear();
  list.clear();
  for (size_t i = 0; i < 60; ++i) {
    key.items.push_back({.id = std::to_string(i), .truth = i % 2 ? people::kReal : people::kFake});
    for (size_t k = 0; k < 3; ++k) {
      choose(i, (i + k) % 5 < 3 ? people::kReal : people::kFake);
    }
    p_real.push_back(static_cast<double>(i * 37 % 60) / 60);
  }
  const auto intervals = [&](uint64_t seed) {
    const auto json = to_json(judge_items(key, votes_of(key, list), p_real, seed));
    return std::vector{json["judgements"]["real"], json["majority"]["real"],
                       json["classifier"]["real"], json["pi"]["pi"],
                       json["classifier"]["with_majority"]["pi"]};
  };
  const auto one = intervals(1);
  EXPECT_EQ(intervals(1), one);
  std::vector<bool> differ(one.size());
  for (uint64_t seed = 2; seed < 6; ++seed) {
    const auto other = intervals(seed);
    for (size_t i = 0; i < one.size(); ++i) differ[i] = differ[i] || one[i] != other[i];
  }
  EXPECT_EQ(differ, std::vector<bool>(one.size(), true));
}

TEST(Screened, WhoWasLeftOutAndWhy) {
  const people::Screened screened{.list = {{.item = 0}, {.item = 1}},
                                  .annotators = 1,
                                  .failed = 3,
                                  .too_few = 4,
                                  .checks = 5,
                                  .dropped = 6,
                                  .cut = 7};
  EXPECT_EQ(to_json(screened).dump(), R"({"annotators":1,"failed":3,"too_few":4,"checks":5,)"
                                      R"("dropped":6,"cut":7,"judgements":2})");
}

// With an interval where it is known.
TEST(JudgedRows, AnAreaHasItsIntervalOrNone) {
  const Estimate auc{.value = 0.75, .clusters = 9, .interval = {0.5, 0.875}};
  EXPECT_EQ(auc_text(RankSum{.auc = 0.75}, std::nullopt), "0.750");
  EXPECT_EQ(auc_text(RankSum{.auc = 0.75}, auc), "0.750 [0.500, 0.875]");
  EXPECT_EQ(auc_text(std::nullopt, std::nullopt), "-");
}

// Changes have signs.
TEST(Estimates, AreWrittenWithTheirIntervals) {
  const Estimate e{.value = 0.25, .clusters = 9, .interval = {-0.125, 0.5}};
  EXPECT_EQ(interval_text(e, 2, /*change=*/true), "+0.25 [-0.12, +0.50]");
  EXPECT_EQ(interval_text(e, 2), "0.25 [-0.12, 0.50]");
  EXPECT_EQ(interval_text(std::nullopt, 2), "-");
}

}  // namespace
}  // namespace heed
