// N-best lists in other orders, counted by hand.
#include "experiments/measure/reranked.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dialog/text/measures.h"

namespace heed {
namespace {

// Of three, one and two responses.
const std::vector<Offered> kLists = {
    {{{"a"}, {"a", "b", "a", "b"}, {"c", "d"}}, {-1, -2, -3}},
    {{{"e", "e"}}, {-4}},
    {{{"f", "g"}, {"f", "h"}}, {-5, -6}},
};
const std::vector<Tokens> kPeople = {{"c", "x", "d"}, {"y"}, {"f", "h", "i"}};

double value(const RerankedRow& row, const std::string& key) {
  for (size_t i = 0; i < text_measures().size(); ++i) {
    if (key == text_measures()[i].key) return row.values[i].value();
  }
  throw std::out_of_range(key);
}

TEST(Reranked, DiversityIsThatOfTheListsInTheMean) {
  const ListDiversity d = diversity_of(kLists);
  EXPECT_DOUBLE_EQ(d.size, 2);
  EXPECT_DOUBLE_EQ(d.distinct_1, (4.0 / 7 + 1.0 / 2 + 3.0 / 4) / 3);
  EXPECT_DOUBLE_EQ(d.distinct_2, (3.0 / 7 + 1.0 / 2 + 2.0 / 4) / 3);  // of all tokens
}

TEST(Reranked, FirstsAreThoseOfTheHighestScore) {
  EXPECT_EQ(firsts_of({{1, 3, 2}, {-1}, {NAN, -7}, {2, 2}}), (std::vector<size_t>{1, 0, 1, 0}));
}

TEST(Reranked, FirstsAreMeasured) {
  const RerankedRow row = measure_firsts("row", kLists, {2, 0, 1}, kPeople);
  EXPECT_EQ(row.name, "row");
  EXPECT_DOUBLE_EQ(row.changed, 2.0 / 3);
  EXPECT_DOUBLE_EQ(value(row, "mean_length"), (2 + 2 + 2) / 3.0);
  EXPECT_DOUBLE_EQ(value(row, "distinct_1"), 5.0 / 6);  // c d, e e, f h
  const double f = 2 * 1 * (2.0 / 3) / (1 + 2.0 / 3);   // of c d, and of f h
  EXPECT_DOUBLE_EQ(value(row, "rouge_l"), (f + 0 + f) / 3);
  EXPECT_EQ(measure_firsts("before", kLists, {0, 0, 0}, kPeople).changed, 0);
  // A response with the same words at another place is no change.
  const std::vector<Offered> same = {{{{"a"}, {"a"}}, {-1, -2}}};
  EXPECT_EQ(measure_firsts("same", same, {1}, {{"a"}}).changed, 0);
}

TEST(Reranked, TheNearestHasTheHighestOverlap) {
  EXPECT_EQ(nearest_to(kLists, kPeople), (std::vector<size_t>{2, 0, 1}));
  EXPECT_EQ(nearest_to(kLists, {{"b", "a", "b"}, {"e"}, {"f"}}), (std::vector<size_t>{1, 0, 0}));
}

// By the numbers of single responses: "best" is above "before" by 4/5, 0 and 2/5 in ROUGE-L.
// The second and third list are one conversation, so a resample has the first one twice, once or
// not.
TEST(Reranked, RowsAreComparedWithIntervals) {
  const std::vector<RerankedRow> rows = {measure_firsts("before", kLists, {0, 0, 0}, kPeople),
                                         measure_firsts("best", kLists, {2, 0, 1}, kPeople)};
  const auto above = rows_above(rows, "before", kPeople, {0, 1, 1});
  ASSERT_EQ(above.size(), 2u);
  EXPECT_TRUE(above[0].by.empty());
  EXPECT_EQ(above[1].name, "best");
  const auto measures = mean_measures();
  ASSERT_EQ(above[1].by.size(), measures.size());
  for (size_t k = 0; k < measures.size(); ++k) {
    const std::string key = measures[k].key;
    const Estimate& e = above[1].by[k].value();
    EXPECT_NEAR(e.value, value(rows[1], key) - value(rows[0], key), 1e-12) << key;
    if (key != "rouge_l") continue;
    EXPECT_NEAR(e.value, (0.8 + 0 + 0.4) / 3, 1e-12);
    EXPECT_NEAR(e.interval.low, 0.2, 1e-12);
    EXPECT_NEAR(e.interval.high, 0.8, 1e-12);
    EXPECT_EQ(e.clusters, 2);
  }
  const auto other_way = rows_above(rows, "best", kPeople, {0, 1, 1});
  EXPECT_TRUE(other_way[1].by.empty());
  EXPECT_NEAR(other_way[0].by[0]->value, -above[1].by[0]->value, 1e-12);
  EXPECT_NE(reranked_table(rows, 400).find("66.7 %"), std::string::npos);  // changed
  const std::string table = above_table(above, "before", 200);
  EXPECT_NE(table.find("+40.00 [20.00, 80.00]"), table.npos) << table;
}

// Each place is drawn, about equally often, and by the seed.
TEST(Reranked, DrawsFromEachList) {
  const std::vector<Offered> many(3000, kLists[0]);
  const std::vector<size_t> drawn = drawn_of(many, 1);
  std::vector<int> count(3);
  for (const size_t place : drawn) ++count.at(place);
  for (const int n : count) EXPECT_NEAR(n, 1000, 100);
  EXPECT_EQ(drawn_of(many, 1), drawn);
  EXPECT_NE(drawn_of(many, 2), drawn);
  EXPECT_EQ(drawn_of({kLists[1]}, 1), std::vector<size_t>{0});
}

}  // namespace
}  // namespace heed
