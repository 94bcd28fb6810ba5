// A table, and the forms that it is written in; figures.
#include "experiments/engine/report/table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/engine/report/figures.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using Json = nlohmann::json;

Table small_table() {
  Table table{.id = "small",
              .title = "Small",
              .note = "A note.",
              .rows_are = "structure",
              .groups_are = "trained with"};
  table.columns = {{"", "perplexity", "p", 1, false, Column::Best::kLowest},
                   {"random",
                    "a, b",
                    "d",
                    2,
                    true,
                    Column::Best::kHighest,
                    false,
                    {{"mean_of_ratios", "m"}, {"median_of_ratios", "n"}}}};
  table.rows = {{"p = 0", "static", {{.value = 45}, {}}, {"a/evaluation.json"}},
                {"p = 1.0",
                 "dynamic",
                 {{.value = 43.96, .deviation = 0.26},
                  {.value = 0.12345,
                   .interval = Interval{0.1, 0.2},
                   .p_value = 0.5,
                   .others = {0.25, 0.125}}},
                 {}},
                {"", "human", {{.value = 1}, {.value = 2}}, {}, true}};
  mark_best(table);
  return table;
}

TEST(Table, Markdown) {
  EXPECT_EQ(to_markdown(small_table()),
            "## Small\n\nA note.\n\n"
            "| trained with | structure | perplexity | random a, b |\n"
            "| --- | --- | ---: | ---: |\n"
            "| p = 0 | static | 45.0 | – |\n"
            "| p = 1.0 | dynamic | 44.0 ± 0.3 | 12.35 |\n"
            "|  | human | 1.0 | 200.00 |\n");
}

// Nothing would stand in the first column.
TEST(Table, WithoutGroupsHasNoColumnOfThem) {
  const Table table{.id = "t",
                    .title = "T",
                    .note = "N",
                    .rows_are = "run",
                    .groups_are = "trained with",
                    .columns = {{.name = "x", .digits = 1}},
                    .rows = {{"", "a", {{.value = 1}}}, {"", "b", {{.value = 2}}}}};
  EXPECT_EQ(to_markdown(table),
            "## T\n\nN\n\n| run | x |\n| --- | ---: |\n| a | 1.0 |\n| b | 2.0 |\n");
  EXPECT_NE(to_latex(table).find("\\begin{tabular}{lr}\n\\toprule\nrun & x "), std::string::npos)
      << to_latex(table);
}

TEST(Table, ABarInANameIsNoBorder) {
  const Table table{.id = "t",
                    .title = "T",
                    .note = "N",
                    .rows_are = "run",
                    .groups_are = "of",
                    .columns = {{.name = "P(R|C)", .digits = 1}},
                    .rows = {{"a|b", "|c|", {{.text = "x|y"}}}}};
  EXPECT_EQ(to_markdown(table),
            "## T\n\nN\n\n| of | run | P(R\\|C) |\n| --- | --- | ---: |\n"
            "| a\\|b | \\|c\\| | x\\|y |\n");
}

TEST(Table, Csv) {
  EXPECT_EQ(to_csv(small_table()),
            "trained with,structure,perplexity,perplexity deviation,\"random a, b\","
            "\"random a, b low\",\"random a, b high\",\"random a, b p\","
            "\"random a, b mean_of_ratios\",\"random a, b median_of_ratios\",source\n"
            "p = 0,static,45.0,,,,,,,,a/evaluation.json\n"
            "p = 1.0,dynamic,43.96,0.26,0.12345,0.1,0.2,0.5,0.25,0.125,\n"
            ",human,1.0,,2.0,,,,,,\n");
}

TEST(Table, Latex) {
  Table table{.id = "t",
              .title = "T",
              .note = "",
              .rows_are = "run_a",
              .groups_are = "50 %",
              .columns = {{.name = "x", .digits = 1}, {.name = "p", .digits = 2, .p_value = true}},
              .rows = {{"a & b", "~c\\", {{.value = 1.25, .deviation = 0.5, .best = true}, {}}},
                       {"d", "e", {{.value = 2, .digits = 3}, {.value = 0.001}}}}};
  EXPECT_EQ(to_latex(table),
            "% T; \\usepackage{booktabs}\n\\begin{tabular}{llrr}\n\\toprule\n"
            "50 \\% & run\\_a & x & p \\\\\n\\midrule\n"
            "a \\& b & \\char`\\~{}c\\char`\\\\{} & \\textbf{1.2 $\\pm$ 0.5} & -- \\\\\n"
            "d & e & 2.000 & $<$ 0.01 \\\\\n\\bottomrule\n\\end{tabular}\n");
}

TEST(Table, EveryCharacterOfItsLanguageIsEscaped) {
  const Table table{.id = "t",
                    .title = "T",
                    .note = "",
                    .rows_are = "run",
                    .groups_are = "",
                    .columns = {{.name = "a > b"}, {.name = "{1}"}},
                    .rows = {{"", "two\nlines", {{.text = "a, b"}, {.text = "\"c\""}}}}};
  EXPECT_NE(to_latex(table).find("run & a $>$ b & \\{1\\} \\\\"), std::string::npos)
      << to_latex(table);
  EXPECT_EQ(to_csv(table), ",run,a > b,{1},source\n,\"two\nlines\",\"a, b\",\"\"\"c\"\"\",\n");
}

// A sign where one is asked for, but none before 0; bounds have none of their own. "< 0.01" is for
// p-values alone.
TEST(Table, NumbersAreWrittenAsTheirColumnsSay) {
  const Column change{.name = "x", .digits = 2, .sign = true},
      share{.name = "x", .digits = 1, .percent = true},
      p{.name = "p", .digits = 2, .p_value = true};
  EXPECT_EQ(print_value(change, 0.25), "+0.25");
  EXPECT_EQ(print_value(change, 0.001), "0.00");
  EXPECT_EQ(print_value(change, -0.25), "-0.25");
  EXPECT_EQ(print_value(share, 0.25), "25.0");
  EXPECT_EQ(print_value(p, 0.001), "< 0.01");
  EXPECT_EQ(print_value(p, 0.25), "0.25");
  EXPECT_EQ(print_value(p, NAN), "–");
  EXPECT_EQ(print_interval(change, {.value = 0.25, .interval = Interval{0.125, 0.5}}),
            "[0.12, 0.50]");
  EXPECT_EQ(print_cell(change, {.value = 0.25, .deviation = 0.5, .doubtful = true}),
            "+0.25 ± 0.50?");
}

TEST(Table, DigitsTellIntervalsApart) {
  const auto of = [](double low, double high) {
    return std::optional(Estimate{.interval = {low, high}});
  };
  EXPECT_EQ(digits_of({of(0.52, 0.83)}), 2);
  EXPECT_EQ(digits_of({of(1.0126, 1.0165)}), 4);
  EXPECT_EQ(digits_of({of(1.3, 1.4), std::nullopt, of(0.0126, 0.0165)}), 4);
  EXPECT_EQ(digits_of({of(40, 75)}), 1);
  EXPECT_EQ(digits_of({of(1, 1)}), 1);
  EXPECT_EQ(digits_of({of(0, 1e-9)}), 6);
}

TEST(Table, JsonHoldsEverything) {
  const Json json = Json::parse(to_json_text(small_table()));
  EXPECT_EQ(json["rows"].size(), 3u);
  EXPECT_EQ(json["columns"][1]["key"], "d");
  EXPECT_TRUE(json["rows"][0]["cells"][1]["value"].is_null());
  const Json& cell = json["rows"][1]["cells"][1];
  EXPECT_EQ(cell["low"], 0.1);
  EXPECT_EQ(cell["high"], 0.2);
  EXPECT_EQ(cell["p"], 0.5);
  EXPECT_EQ(cell["mean_of_ratios"], 0.25);
  EXPECT_EQ(cell["median_of_ratios"], 0.125);
  EXPECT_EQ(json["rows"][0]["sources"][0], "a/evaluation.json");
  Table marked = small_table();
  marked.rows[0].cells[0].doubtful = marked.rows[1].cells[1].best = true;
  const Json cells = Json::parse(to_json_text(marked))["rows"];
  EXPECT_TRUE(cells[0]["cells"][0].contains("doubtful") && cells[1]["cells"][1].contains("best"));
  EXPECT_FALSE(cells[0]["cells"][0].contains("best") || cells[1]["cells"][1].contains("doubtful"));
}

TEST(Table, TheBestStandsOutByMoreThanItsInterval) {
  const auto marks = [](Column::Best best, const std::vector<Interval>& intervals) {
    Table table{.id = "t", .title = "T", .note = ""};
    table.columns = {{"", "x", "x", 2, false, best}};
    for (const Interval& i : intervals) {
      table.rows.push_back({"", "", {{.value = (i.low + i.high) / 2, .interval = i}}, {}});
    }
    table.rows.push_back({"", "unfinished", {{}}, {}});
    table.rows.push_back({"", "human", {{.value = 0}}, {}, true});
    mark_best(table);
    std::string text;
    for (const Row& row : table.rows) text += row.cells[0].best ? 'b' : '-';
    return text;
  };
  using Best = Column::Best;
  EXPECT_EQ(marks(Best::kLowest, {{0.9, 1.0}, {0.5, 0.6}, {0.61, 1.1}}), "-b---");
  EXPECT_EQ(marks(Best::kHighest, {{0.9, 1.0}, {0.5, 0.6}, {0.61, 0.8}}), "b----");
  EXPECT_EQ(marks(Best::kNone, {{0.9, 1.0}, {0.5, 0.6}}), "----");
  EXPECT_EQ(marks(Best::kLowest, {{0.9, 1.0}, {0.5, 0.6}, {0.6, 1.1}}), "-----");  // they touch
  EXPECT_EQ(marks(Best::kLowest, {{0.9, 1.0}}), "---");                            // alone
  Table table = small_table();  // perplexities without intervals
  for (const Row& row : table.rows) EXPECT_FALSE(row.cells[0].best);
}

// ---- figures

// The numbers of an attribute, in the order of its elements.
std::vector<double> numbers_of(const std::string& html, const std::string& attribute) {
  std::vector<double> found;
  const std::string begin = " " + attribute + "=\"";
  for (size_t at = html.find(begin); at != html.npos; at = html.find(begin, at + 1)) {
    found.push_back(std::stod(html.substr(at + begin.size())));
  }
  return found;
}

// A point above the axis is at its end, and so is the end of an interval.
TEST(Figures, PointsStayWithinTheirAxes) {
  PanelAxes axes;
  axes.x_low = 0, axes.x_high = 2, axes.y_low = 1, axes.y_high = 2;
  axes.line_at_one = false;
  const PlotLine points{
      .css = "a",
      .line = "",
      .mark = 0,
      .points = {{0, 1.5, "p", Interval{-9, 9}}, {1, 2, "q"}, {1, 7, "r"}, {2, 1, "s"}}};
  const std::string html = panels_html(axes, {{.title = "t", .label = "l", .lines = {points}}}, {});
  const std::vector<double> y = numbers_of(html, "cy"), y1 = numbers_of(html, "y1"),
                            y2 = numbers_of(html, "y2");
  ASSERT_EQ(y.size(), 4u) << html;
  EXPECT_EQ(y[1], y[2]);
  EXPECT_LT(y[1], y[0]);
  EXPECT_EQ(y1.back(), y[3]);
  EXPECT_EQ(y2.back(), y[1]);
}

TEST(Figures, TheLineAtOneIsWithinTheAxis) {
  for (const auto& [low, high, there] :
       {std::tuple(0.5, 1.5, true), {0.2, 0.9, false}, {1.1, 2.0, false}}) {
    const PanelAxes axes{.y_low = low, .y_high = high, .line_at_one = true};
    EXPECT_EQ(has(panels_html(axes, {{"t", "l"}}, {}), " class=\"one\""), there) << low;
  }
}

TEST(Figures, ALogarithmicAxisHasTheSameDistanceForTheSameFactor) {
  const PanelAxes axes{.x_high = 3,
                       .y_low = 1,
                       .y_high = 100,
                       .logarithmic = true,
                       .y_ticks = {1, 10, 100},
                       .y_digits = 0};
  const PlotLine points{
      .css = "a", .line = "", .points = {{0, 1, "p"}, {1, 10, "q"}, {2, 100, "r"}}};
  const std::string html = panels_html(axes, {{"t", "l", {points}}}, {});
  const std::vector<double> y = numbers_of(html, "cy");
  ASSERT_EQ(y.size(), 3u) << html;
  EXPECT_GT(y[0] - y[1], 10);
  EXPECT_NEAR(y[0] - y[1], y[1] - y[2], 0.25);
  EXPECT_TRUE(has(html, ">10</text>") && !has(html, ">10.0</text>")) << html;
}

// The axis reaches from 0 over the highest value, ours or the paper's. Beside a paper's there is a
// line at 1.
TEST(Figures, BarsStayWithinTheirAxes) {
  const auto bars = [](double value, std::optional<double> paper = {}) {
    return bars_html("t", "l", 2, {{"bar0", "s"}},
                     {{"g", {{.value = value, .paper = paper, .title = "v"}}}});
  };
  const auto height = [](const std::string& html) { return numbers_of(html, "height").at(1); };
  EXPECT_GT(height(bars(0.5)), 10);
  EXPECT_NEAR(height(bars(0.5, 8)) / height(bars(0.5)), 2 / (1.06 * 8), 0.01);
  EXPECT_NEAR(height(bars(8)) / height(bars(0.5)), (1 / 1.06) / (0.5 / 2), 0.01);
  EXPECT_EQ(bars(-0.5), bars(0));
  EXPECT_FALSE(has(bars(0.5), " class=\"one\""));
  EXPECT_TRUE(has(bars(0.5, 0.7), " class=\"one\""));
}

TEST(Figures, RangesAndTicks) {
  const auto [low, high] = range_around_one({0.5, 1.5});
  EXPECT_DOUBLE_EQ(low, 0.5 - 0.06);
  EXPECT_DOUBLE_EQ(high, 1.5 + 0.06);
  EXPECT_EQ(range_around_one({0.01}).first, 0);
  EXPECT_EQ(range_around_one({}), std::pair(0.98, 1.02));
  EXPECT_EQ(digits_of_ticks({0, 0.05}), 2);
  EXPECT_EQ(digits_of_ticks({0, 0.1}), 1);
  EXPECT_EQ(digits_of_ticks({0}), 1);
}

// The paper's to the right, ours upwards.
TEST(Figures, AgreementHasThePapersNumbersBelow) {
  const std::string html = agreement_html(
      "ratio", {{0.5, 2, 0, "a", "x"}, {1, 1, 0, "a", "y"}, {2, 0.5, 0, "a", "z"}}, 0.5, 2);
  const std::vector<double> x = numbers_of(html, "cx"), y = numbers_of(html, "cy");
  ASSERT_EQ(x.size(), 3u) << html;
  EXPECT_TRUE(x[0] < x[1] && x[1] < x[2] && y[0] < y[1] && y[1] < y[2]);
  EXPECT_TRUE(has(html, "Spearman&#39;s rank correlation of the 3 pairs: -1.00.") ||
              has(html, "Spearman's rank correlation of the 3 pairs: -1.00."))
      << html;
}

}  // namespace
}  // namespace heed
