// A small writer of SVG for figures inside a page: shapes with CSS classes, so that the page
// decides about colours, in light and in dark.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace heed {

using Point = std::pair<double, double>;

class Svg {
 public:
  enum class Anchor { kStart, kMiddle, kEnd };

  // `label` says to those who do not see it what it shows.
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

  std::string str() const;

 private:
  void shape(const std::string& element, const std::string& css, const std::string& title);

  std::string body_;
};

// Numbers from [low, high] to pixels [from, to], evenly or by their logarithms.
struct Scale {
  double low = 0, high = 1, from = 0, to = 1;
  bool logarithmic = false;
  double operator()(double value) const;
};
// Round numbers within [low, high], at most about `count`.
std::vector<double> ticks(double low, double high, int count);
// For a logarithmic axis: 1, 2, 5, 10, 20, 50, ... within [low, high].
std::vector<double> log_ticks(double low, double high);

}  // namespace heed
