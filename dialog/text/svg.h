// A small SVG writer for figures, inside a page or as files of their own: shapes with CSS classes,
// so that a style sheet determines the colours, in light and dark mode.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed {

using Point = std::pair<double, double>;

class Svg {
 public:
  enum class Anchor { kStart, kMiddle, kEnd };

  // `label` describes the figure for screen readers.
  Svg(double width, double height, const std::string& label);

  // `title` is shown when a pointer rests on the shape. All texts are escaped.
  void line(Point from, Point to, const std::string& css);
  void polyline(const std::vector<Point>& points, const std::string& css);
  void rect(Point corner, double width, double height, const std::string& css,
            const std::string& title = "");
  void text(Point at, const std::string& text, const std::string& css,
            Anchor anchor = Anchor::kStart);
  // One of six shapes of about 9 pixels that differ without colour: circle, square, diamond,
  // triangle, cross, ring.
  void mark(int shape, Point at, const std::string& css, const std::string& title = "");
  static constexpr int kMarks = 6;

  std::string str() const;  // inside a page
  std::string file(
      std::string_view style) const;  // with a style sheet, and a background of class "back"

 private:
  void shape(const std::string& element, const std::string& css, const std::string& title);

  std::string begin_, body_;
};

// Maps numbers in [low, high] to pixels [from, to], linearly or by their logarithms.
struct Scale {
  double low = 0, high = 1, from = 0, to = 1;
  bool logarithmic = false;
  double operator()(double value) const;
};
// Round numbers within [low, high], at most about `count`.
std::vector<double> ticks(double low, double high, int count);
// For a logarithmic axis: 1, 2, 5, 10, 20, 50, ... within [low, high].
std::vector<double> log_ticks(double low, double high);

// The frame of a plot: a title above it, grid lines and ticks, and the scales to draw with.
struct SvgPlot {
  Svg svg;
  Scale x, y;
  double left, right, top, bottom;  // pixels

  // `below`: pixels under the axis.
  SvgPlot(double width, double height, const std::string& label, const std::string& title,
          double below = 30);
  void y_tick(double value, const std::string& text);
  void y_axis(const std::vector<double>& at, int digits);  // y_tick() each, and axis()
  void axis();
  void x_label(double at, const std::string& text);
};

}  // namespace heed
