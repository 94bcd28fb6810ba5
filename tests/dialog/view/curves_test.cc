// Curves in a terminal and as SVG: what is drawn where, for any numbers and names.
#include "dialog/view/curves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "dialog/text/svg.h"
#include "dialog/text/terminal.h"
#include "dialog/view/curve_ranges.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

CurvePlot falling() {
  return {"epoch", "loss", false, {{"first", {{1, 10}, {2, 6}, {3, 4}, {4, 3}, {5, 2}}}}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Curves, AsLetters) {
  const std::string text = curves_text(falling(), {.width = 40, .unicode = false});
  const std::vector<std::string> lines = lines_of(text);
  ASSERT_EQ(lines.size(), 1 + 16 + 2 + 1u) << text;
  EXPECT_EQ(lines[0], "loss");
  EXPECT_EQ(lines[1], "10 |*");
  EXPECT_EQ(lines[16].size(), 40u) << text;  // up to the last column
  EXPECT_EQ(lines[16].substr(0, 5) + lines[16].back(), " 2 | *");
  EXPECT_EQ(lines[17], "   +" + std::string(36, '-'));
  EXPECT_EQ(lines[18].find('2'), 4 + 9u) << text;  // 35 / 4 columns right of the axis
  EXPECT_TRUE(lines[18].ends_with("  epoch")) << text;
  EXPECT_EQ(lines[19], "* first: lowest 2 at epoch 5, last 2");
}

// Every point of the curve has its cell: on a canvas of 16 rows, 10 is in the first one, 2 in the
// last, 6 in the middle.
TEST(Curves, PointsAreWhereTheirNumbersSay) {
  const std::vector<std::string> lines =
      lines_of(curves_text(falling(), {.width = 40, .unicode = false}));
  const auto row_of = [&](size_t column) {
    for (size_t row = 1; row <= 16; ++row) {
      if (lines[row].size() > 4 + column && lines[row][4 + column] == '*') return row - 1;
    }
    return size_t{99};
  };
  EXPECT_EQ(row_of(0), 0u);
  EXPECT_EQ(row_of(9), static_cast<size_t>(std::lround(15 * (10 - 6) / 8.0)));  // x = 2: 35 / 4
  EXPECT_EQ(row_of(35), 15u);
}

// The last one that passes a cell has it.
TEST(Curves, EachHasItsOwnLetter) {
  const std::vector<std::string> lines = lines_of(
      curves_text({"epoch",
                   "loss",
                   false,
                   {{"", {{1, 3}, {5, 3}}}, {"", {{1, 2}, {5, 2}}}, {"", {{1, 1}, {5, 3}}}}},
                  {.width = 40, .unicode = false}));
  const auto row = [&](size_t at) { return lines[at].substr(lines[at].find('|') + 1); };
  EXPECT_EQ(row(1).substr(0, 5), "aaaaa");
  EXPECT_EQ(row(1).back(), 'c');
  EXPECT_EQ(row(16).substr(0, 1), "c");
  EXPECT_TRUE(
      std::ranges::any_of(lines, [](const std::string& line) { return has(line, "bbbbb"); }));
}

TEST(Curves, AsBrailleWithColoursOrLettersWithout) {
  CurvePlot two = falling();
  two.curves.push_back({"second", {{1, 2}, {5, 10}}});
  const std::string one = curves_text(falling(), {.width = 60});
  EXPECT_TRUE(has(one, "\n10 │\u2811")) << one;  // it begins in a corner and falls at 45 degrees
  const std::string angle =
      curves_text({"epoch", "loss", false, {{"", {{0, 0}, {1, 0}, {1, 1}}}}}, {.width = 60});
  EXPECT_TRUE(has(angle, "│\u28c0\u28c0\u28c0")) << angle;  // its lowest dots
  EXPECT_TRUE(has(angle, "\u28c0\u28f8\n")) << angle;       // and the right ones of the last column
  EXPECT_TRUE(has(angle, " \u28b8\n")) << angle;
  EXPECT_TRUE(has(one, "\n\u28ff first: ")) << one;
  EXPECT_FALSE(has(one, "\x1b"));
  const std::string coloured = curves_text(two, {.width = 60, .colour = true});
  EXPECT_TRUE(has(coloured, "\n\x1b[38;5;32m\u28ff\x1b[0m first: ")) << coloured;
  EXPECT_TRUE(has(coloured, "\n\x1b[38;5;208m\u28ff\x1b[0m second: ")) << coloured;
  const std::string plain = curves_text(two, {.width = 60});
  EXPECT_TRUE(has(plain, "\na first: ")) << plain;
  EXPECT_TRUE(has(plain, "\nb second: lowest 2 at epoch 1, last 10")) << plain;
  EXPECT_FALSE(has(plain, "\u28ff"));
}

TEST(Curves, FitAnyWidth) {
  CurvePlot many = falling();
  many.y = std::string(300, 'y');
  for (int i = 0; i < 30; ++i) many.curves.push_back({std::string(200, 'n'), {{i, 1e12 * i}}});
  for (const bool unicode : {true, false}) {
    for (const int width : {20, 37, 80, 160}) {
      for (const std::string& line :
           lines_of(curves_text(many, {.width = width, .unicode = unicode}))) {
        EXPECT_LE(columns(line), width) << line;
      }
    }
  }
}

TEST(Curves, OfStrangeNumbers) {
  const double inf = std::numeric_limits<double>::infinity();
  CurvePlot plot{"step", "x", false, {{"a", {{1, NAN}, {2, inf}, {3, 1.7e308}, {4, -1.7e308}}}}};
  EXPECT_EQ(error_of<DataError>([&] { curves_text(plot, {}); }), "x: no number that can be drawn");
  EXPECT_EQ(error_of<DataError>([&] { curves_svg(plot); }), "x: no number that can be drawn");
  plot.logarithmic = true;
  plot.curves = {{"a", {{1, 0}, {2, -3}}}};
  EXPECT_EQ(error_of<DataError>([&] { curves_text(plot, {}); }),
            "x: no number that can be drawn on a logarithmic axis");
  for (const auto& points :
       std::vector<std::vector<std::pair<double, double>>>{{{1, 5}},
                                                           {{1, 0}, {2, 0}},
                                                           {{1, 1e299}, {2, -1e299}},
                                                           {{1e299, 1e16}, {2e299, 1e16 + 2}},
                                                           {{0, 1e-310}, {1, 2e-310}},
                                                           {{1, NAN}, {2, 3}, {3, inf}}}) {
    for (const bool logarithmic : {false, true}) {
      const CurvePlot one{"step", "x", logarithmic, {{"a", points}, {"empty", {}}}};
      try {
        EXPECT_TRUE(has(curves_text(one, {}), "empty: nothing to draw"));
        const std::string svg = curves_svg(one);
        EXPECT_FALSE(has(svg, "nan") || has(svg, "inf") || has(svg, "\"-\"")) << svg;
      } catch (const DataError&) {
        EXPECT_TRUE(logarithmic);  // nothing positive
      }
    }
  }
}

TEST(Curves, ALogarithmicAxis) {
  CurvePlot plot{"epoch", "x", true, {{"a", {{1, 1}, {2, 10}, {3, 100}}}}};
  const std::vector<std::string> lines =
      lines_of(curves_text(plot, {.width = 40, .unicode = false}));
  EXPECT_EQ(lines[1].substr(0, 5), "100 |");
  EXPECT_EQ(lines[16].substr(0, 6), "  1 |*");
  EXPECT_TRUE(has(lines[8], "*") || has(lines[9], "*"));  // 10 half-way, at x = 2
  const std::string straight =
      curves_text({"epoch", "x", false, plot.curves}, {.width = 40, .unicode = false});
  EXPECT_NE(straight, curves_text(plot, {.width = 40, .unicode = false}));
}

TEST(Svg, TicksAreRoundNumbersWithinTheRange) {
  using Numbers = std::vector<double>;
  EXPECT_EQ(ticks(0, 10, 5), (Numbers{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(ticks(0.5, 4.2, 4), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(ticks(-30, 30, 3), (Numbers{-20, 0, 20}));
  EXPECT_EQ(ticks(3, 3, 4), Numbers{});
  EXPECT_EQ(ticks(0, 0.3, 3).size(), 4u);  // 0.3 / 0.1 is less than 3
  EXPECT_EQ(log_ticks(1, 100), (Numbers{1, 2, 5, 10, 20, 50, 100}));
  EXPECT_EQ(log_ticks(3, 40), (Numbers{5, 10, 20}));
  EXPECT_EQ(log_ticks(0, 40), Numbers{});
}

// Of a plot 200 wide and 100 high with 20 below the axis, from 0 at the height 80 to 1 at 28.
TEST(Svg, AFrameHasItsLinesAndTextsInPlace) {
  SvgPlot plot(200, 100, "label", "title", 20);
  plot.y_tick(0.5, "half");
  plot.y_axis({0.25}, 2);
  plot.x_label(60, "below");
  plot.svg.rect({50, 60}, 7, 8, "bar", "shown");
  plot.svg.rect({50, 60}, -1, -2, "none");
  const std::string svg = plot.svg.str();
  for (const char* part :
       {"<text x=\"44\" y=\"16\" text-anchor=\"start\" class=\"title\">title</text>",
        "<line x1=\"44\" y1=\"54\" x2=\"190\" y2=\"54\" class=\"grid\"/>",
        "<text x=\"38\" y=\"58\" text-anchor=\"end\" class=\"tick\">half</text>",
        "<text x=\"38\" y=\"71\" text-anchor=\"end\" class=\"tick\">0.25</text>",
        "<line x1=\"44\" y1=\"80\" x2=\"190\" y2=\"80\" class=\"axis\"/>",
        R"(<rect x="50" y="60" width="7" height="8" class="bar"><title>shown</title></rect>)",
        "<rect x=\"50\" y=\"60\" width=\"0\" height=\"0\" class=\"none\"/>",
        "<text x=\"60\" y=\"96\" text-anchor=\"middle\" class=\"tick\">below</text>"}) {
    EXPECT_TRUE(has(svg, part)) << part << "\n" << svg;
  }
  const char* const shapes[] = {"<circle", "<rect", "<polygon", "<polygon", "<path", "<circle"};
  for (int kind = 0; kind < 2 * Svg::kMarks; ++kind) {
    Svg one(10, 10, "");
    one.mark(kind, {5, 5}, "c", "what");
    EXPECT_TRUE(has(one.str(), "><title>what</title></")) << kind;
    EXPECT_TRUE(has(one.str(), shapes[kind % Svg::kMarks])) << kind << one.str();
    EXPECT_EQ(has(one.str(), "hollow"), kind % Svg::kMarks == 5) << kind;
  }
}

// A number beside some rows: few of many decades, some of less than one.
TEST(Curves, NumbersBesideTheAxes) {
  const auto lines = [](bool logarithmic, std::vector<std::pair<double, double>> points) {
    return lines_of(curves_text({"step", "x", logarithmic, {{"a", std::move(points)}}},
                                {.width = 40, .unicode = false}));
  };
  const auto numbers = [](const std::vector<std::string>& of) {
    return std::count_if(of.begin() + 1, of.begin() + 17, [](const std::string& line) {
      return line.find_first_of("0123456789") < 8;
    });
  };
  EXPECT_LE(numbers(lines(true, {{1, 1}, {2, 1e12}})), 6);
  EXPECT_GE(numbers(lines(true, {{1, 1}, {2, 1e12}})), 3);
  EXPECT_GE(numbers(lines(true, {{1, 2.1}, {2, 4.9}})), 2);
  const auto below = lines(false, {{1, -10}, {2, 0}});
  EXPECT_EQ(below[16].substr(0, 6), "-10 |*");
  EXPECT_EQ(below[18].find('.'), below[18].npos);  // no half steps
  EXPECT_EQ(below[19], "* a: lowest -10 at step 1, last 0");
  const auto narrow = lines(false, {{1, 100}, {2, 105}});
  EXPECT_EQ(narrow[16].substr(0, 6), "100 |*");
  EXPECT_EQ(narrow[1].substr(0, 5) + narrow[1].back(), "105 |*");
}

// What has no width gets a twentieth of its size on both sides, on a logarithmic axis as a factor.
TEST(Curves, RangesHaveSomeWidth) {
  const auto range = [](double x, double y, bool logarithmic) {
    const CurveRanges r = ranges_of({"epoch", "loss", logarithmic, {{"a", {{x, y}}}}});
    return std::vector<double>{r.x_low, r.x_high, r.y_low, r.y_high};
  };
  const auto expect = [](const std::vector<double>& got, const std::vector<double>& want) {
    for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(got[i], want[i], 1e-12) << i;
  };
  expect(range(4, 10, false), {3.8, 4.2, 9.5, 10.5});
  expect(range(4, 10, true), {3.8, 4.2, 10 / 1.05, 10.5});
  expect(range(0, -2, false), {-0.5, 0.5, -2.1, -1.9});
}

TEST(Curves, NumbersAreWrittenShort) {
  for (const auto& [value, text] : {std::pair(0.005, "0.005"),
                                    {-0.005, "-0.005"},
                                    {1e-13, "0"},
                                    {2.5e-12, "2.5e-12"},
                                    {123456.0, "123456"},
                                    {1e6, "1e+06"}}) {
    EXPECT_EQ(tick_text(value), text);
  }
  // The first of equal numbers is the lowest one.
  const CurvePlot plot{"step", "x", false, {{"a", {{1, 2}, {2, 1}, {3, 1}, {4, 5}}}}};
  EXPECT_EQ(summary_of(plot.curves[0], plot), "lowest 1 at step 2, last 5");
  // Of 37 numbers about as many as are asked for.
  const CurvePlot decades{"step", "x", true, {{"a", {{1, 1}, {2, 1e12}}}}};
  EXPECT_EQ(y_ticks(decades, ranges_of(decades), 5).size(), 6u);
  EXPECT_EQ(y_ticks(decades, ranges_of(decades), 0).size(), 2u);
}

// Numbers below the axis reach to its end, and do not touch each other at any width.
TEST(Curves, NumbersBelowTheAxisStandApart) {
  const CurvePlot whole{"epoch", "x", false, {{"a", {{0, 1}, {4, 2}}}}};
  const std::string line = lines_of(curves_text(whole, {.width = 40, .unicode = false}))[18];
  EXPECT_EQ(line.size(), 40u);
  EXPECT_TRUE(line.ends_with(" 4")) << line;
  const CurvePlot late{"epoch", "x", false, {{"a", {{1234500, 1}, {1234600, 2}}}}};
  size_t numbers = 0;
  for (int width = 20; width <= 160; ++width) {
    std::istringstream words(lines_of(curves_text(late, {.width = width, .unicode = false}))[18]);
    for (std::string word; words >> word; ++numbers) {
      EXPECT_TRUE(word == "epoch" || word.size() <= 11) << width << ": " << word;
    }
  }
  EXPECT_GT(numbers, 300u);
}

CurvePlot many_curves(int count, bool logarithmic) {
  CurvePlot plot{"epoch", "loss", logarithmic, {}};
  for (int i = 0; i < count; ++i) plot.curves.push_back({"run", {{1, 2.0 + i}, {2, 3.0 + i}}});
  return plot;
}

// Five colours, then another kind of line; a line of the legend for each.
TEST(Curves, AreToldApart) {
  const std::string seven = curves_svg(many_curves(7, false)),
                    one = curves_svg(many_curves(1, true));
  EXPECT_TRUE(has(one, "width=\"760\" height=\"428\"")) << one;
  EXPECT_TRUE(has(seven, "width=\"760\" height=\"548\"")) << seven;
  EXPECT_TRUE(has(one, "class=\"title\">loss (logarithmic)</text>"));
  EXPECT_TRUE(has(seven, "class=\"title\">loss</text>"));
  const char* const kinds[] = {"c0 solid", "c1 solid", "c2 solid", "c3 solid",
                               "c4 solid", "c0 dash",  "c1 dash"};
  for (int c = 0; c < 7; ++c) {
    const std::string y = std::to_string(400 + 20 * c), kind = kinds[c];
    EXPECT_TRUE(has(seven, "<line x1=\"44\" y1=\"" + y + "\" x2=\"78\" y2=\"" + y + "\" class=\"" +
                               kind + "\"/>"))
        << c;
    const size_t polyline = seven.find("class=\"" + kind + "\"/>");
    EXPECT_LT(seven.rfind("<polyline", polyline), polyline) << c;
  }
  const TerminalStyle style{.width = 60, .colour = true};
  EXPECT_TRUE(has(curves_text(many_curves(5, false), style), "\x1b[38;5;178m\u28ff\x1b[0m run: "));
  const std::string letters = curves_text(many_curves(6, false), style);
  EXPECT_TRUE(has(letters, "\x1b[38;5;32mf\x1b[0m run: ")) << letters;
  EXPECT_FALSE(has(letters, "\u28ff"));
}

// On a logarithmic axis 10 is half-way between 1 and 100; numbers stand below their points.
TEST(Curves, AFileHasItsPointsInPlace) {
  const std::string svg =
      curves_svg({"epoch", "x", true, {{"a", {{1, 1}, {2, 10}, {3, 100}}}, {"b", {{2, 50}}}}});
  EXPECT_TRUE(has(svg, "points=\"44,360 397,194 750,28\"")) << svg;
  for (const auto& [x, number] : {std::pair("44", "1"), {"397", "2"}, {"750", "3"}}) {
    EXPECT_TRUE(has(svg, "<text x=\"" + std::string(x) +
                             "\" y=\"376\" text-anchor=\"middle\" class=\"tick\">" + number + "<"))
        << svg;
  }
  EXPECT_TRUE(has(svg, "<title>a, epoch 3: 100</title>")) << svg;
  EXPECT_TRUE(has(svg, "<title>b, epoch 2: 50</title>")) << svg;
}

TEST(Curves, AsAFileOfItsOwn) {
  CurvePlot plot = falling();
  plot.y = "<script>";
  plot.curves.push_back({"a & \"b\"\n\x1b[2J", {{1, 3}, {2, 4}}});
  plot.curves.push_back({"one point", {{3, 3}}});
  const std::string svg = curves_svg(plot);
  EXPECT_EQ(svg.rfind("<svg role=\"img\" ", 0), 0u);
  EXPECT_TRUE(has(svg, " xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_TRUE(has(svg, "@media (prefers-color-scheme: dark)"));
  EXPECT_TRUE(has(svg, "<rect class=\"back\" width=\"100%\" height=\"100%\"/>"));
  EXPECT_FALSE(has(svg, "<script>") || has(svg, "\x1b"));
  EXPECT_TRUE(has(svg, "a &amp; &quot;b&quot;")) << svg;
  EXPECT_TRUE(has(svg, ">first: lowest 2 at epoch 5, last 2</text>")) << svg;
  const auto count = [&](const std::string& part) {
    size_t found = 0;
    for (size_t at = svg.find(part); at != svg.npos; at = svg.find(part, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("<polyline "), 2u);
  EXPECT_EQ(count("<circle "), 5u + 1);  // the first curve's marks, and its legend's
  EXPECT_TRUE(has(svg, "<title>first, epoch 3: 4</title>"));
  EXPECT_FALSE(has(svg, "var("));  // not all that shows SVG knows variables
  plot.curves[0].points.assign(1000, {1, 1});
  EXPECT_FALSE(has(curves_svg(plot), "<title>first"));  // marks would hide the line
}

}  // namespace
}  // namespace heed
