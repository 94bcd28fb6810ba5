// Curves in a terminal and as SVG: what is drawn where, for any numbers and names.
#include "dialog/view/curves.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
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
  EXPECT_TRUE(has(lines[18], "2 ")) << text;
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
