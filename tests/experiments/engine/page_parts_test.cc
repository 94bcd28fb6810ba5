// The parts of a report's page that stand in no experiment's list: what is shown under the pointer,
// marks, claims by several kinds of numbers, settings and times.
#include <gtest/gtest.h>

#include "experiments/engine/report/page.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

std::string html_of(const Cell& cell) {
  return table_html({.id = "t",
                     .title = "T",
                     .note = "",
                     .columns = {{.name = "x", .others = {{"mean_of_ratios", "m"}}}},
                     .rows = {{"", "row", {cell}}}});
}

TEST(PageParts, UnderThePointerIsTheRestOfANumber) {
  Cell cell{.value = 0.5, .others = {0.75}};
  EXPECT_TRUE(has(html_of(cell), " title=\"mean of ratios 0.75\"")) << html_of(cell);
  cell.interval = Interval{0.25, 0.625};
  cell.p_value = 0.0123;
  EXPECT_TRUE(has(html_of(cell),
                  " title=\"95 % interval [0.25, 0.62], corrected p = 0.0123; mean of ratios "
                  "0.75\""))
      << html_of(cell);
  cell.others = {std::nullopt};
  EXPECT_TRUE(has(html_of(cell), "corrected p = 0.0123\"")) << html_of(cell);
}

TEST(PageParts, WhatIsSureHasAMark) {
  for (const auto& [p, sure] : {std::pair(0.04, true), {0.06, false}, {0.4, false}}) {
    const std::string html = html_of({.value = 1, .p_value = p});
    EXPECT_EQ(has(html, ">1.00*<"), sure) << p;
    EXPECT_EQ(has(html, "class=\"n sure\""), sure) << p;
  }
}

// The first kind with the rules; the others, if there are any, behind a click.
TEST(PageParts, ClaimsHaveAVerdictForEachKindOfNumbers) {
  const ClaimResult yes{true, "0.1"}, no{false, "0.2"}, open{{}, "0.3"};
  const std::string one = claims_html({{"ratios"}, {{"C", "R", {}, {yes}}}});
  EXPECT_FALSE(has(one, "<details>")) << one;
  const std::string three =
      claims_html({{"ratios", "means", "medians"}, {{"C", "R", {}, {yes, no, open}}}});
  const size_t others = three.find("By other numbers: means, medians</summary>");
  ASSERT_NE(others, three.npos) << three;
  const std::string first = three.substr(0, others), rest = three.substr(others);
  EXPECT_TRUE(has(first, "<small>0.1</small>") && has(first, "<small>R</small>"));
  EXPECT_FALSE(has(first, "<small>0.2</small>") || has(rest, "<small>R</small>"));
  const size_t second = rest.find("does not hold</span><small>0.2</small>");
  EXPECT_NE(rest.find("undecided</span><small>0.3</small>", second), rest.npos) << rest;
}

TEST(PageParts, OnlySettingsAreOptions) {
  Results results;
  results.settings = {{"hidden", "64"}};
  results.data = {{"train_examples", "10"}};
  const std::string html = settings_html(results);
  EXPECT_TRUE(has(html, "<dt><code>--hidden</code></dt><dd>64</dd>")) << html;
  EXPECT_TRUE(has(html, "<dt><code>train_examples</code></dt><dd>10</dd>")) << html;
}

// Of all epochs and measurements of all runs.
TEST(PageParts, TimesAreInMinutesOrHours) {
  Results results;
  results.runs.resize(2);
  EXPECT_EQ(time_spent(results), "");
  results.runs[0].times = {{600, 900}, 300};
  results.runs[1].times = {{}, 900};
  EXPECT_EQ(time_spent(results), "45 min");
  results.runs[1].times.epochs = {2700};
  EXPECT_EQ(time_spent(results), "1.5 h");
}

}  // namespace
}  // namespace heed
