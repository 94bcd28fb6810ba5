#include <array>
#include <string_view>

#include "dialog/view/curve_ranges.h"
#include "dialog/view/curves.h"

namespace heed {
namespace {

constexpr double kWidth = 760, kPlotHeight = 400, kAxis = 40, kLegendLine = 20;
constexpr size_t kColours = 5, kMostMarks = 40;  // with more points, marks would hide the line

// The colours of the pages (dialog/text/page.css), without variables: not all that shows SVG
// knows them.
constexpr std::string_view kStyle = R"css(
svg { max-width: 100%; height: auto; }
text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; fill: #59626d; }
text.title { font-size: 14px; font-weight: 650; fill: #1a1e23; }
.back { fill: #ffffff; }
.grid { stroke: #e0e1dd; } .axis { stroke: #59626d; }
.c0 { stroke: #0b6cb0; fill: #0b6cb0; } .c1 { stroke: #b84300; fill: #b84300; }
.c2 { stroke: #00785a; fill: #00785a; } .c3 { stroke: #a1447a; fill: #a1447a; }
.c4 { stroke: #8a6400; fill: #8a6400; }
.solid, .dash, .dots, .mixed { stroke-width: 2; fill: none; stroke-linejoin: round; }
.dash { stroke-dasharray: 7 4; } .dots { stroke-dasharray: 2 3.2; }
.mixed { stroke-dasharray: 9 3 2 3; }
.stroke { stroke-width: 2.2; fill: none; }
@media (prefers-color-scheme: dark) {
  text { fill: #a0a9b4; } text.title { fill: #e9ebee; }
  .back { fill: #1a1e24; }
  .grid { stroke: #313840; } .axis { stroke: #a0a9b4; }
  .c0 { stroke: #58b0ee; fill: #58b0ee; } .c1 { stroke: #ff9a57; fill: #ff9a57; }
  .c2 { stroke: #3fca9d; fill: #3fca9d; } .c3 { stroke: #e79ac4; fill: #e79ac4; }
  .c4 { stroke: #e8b93c; fill: #e8b93c; }
  .solid, .dash, .dots, .mixed, .stroke { fill: none; }
}
)css";

std::string colour_of(size_t curve) {
  return "c" + std::to_string(curve % kColours);
}
std::string line_of(size_t curve) {
  static constexpr std::array kKinds = {"solid", "dash", "dots", "mixed"};
  return colour_of(curve) + " " + kKinds[curve / kColours % kKinds.size()];
}

void draw(SvgPlot& plot, const CurvePlot& curves, size_t c) {
  std::vector<Point> points;
  for (const auto& [x, y] : curves.curves[c].points) points.push_back({plot.x(x), plot.y(y)});
  if (points.size() > 1) plot.svg.polyline(points, line_of(c));
  if (points.size() > kMostMarks) return;
  for (size_t i = 0; i < points.size(); ++i) {
    const auto& [x, y] = curves.curves[c].points[i];
    plot.svg.mark(
        static_cast<int>(c), points[i], colour_of(c),
        curves.curves[c].name + ", " + curves.x + " " + tick_text(x) + ": " + tick_text(y));
  }
}

}  // namespace

std::string curves_svg(const CurvePlot& all) {
  const CurvePlot curves = drawable(all);
  const CurveRanges r = ranges_of(curves);
  const auto count = static_cast<double>(curves.curves.size());
  const double legend = kLegendLine * count + 8;
  SvgPlot plot(kWidth, kPlotHeight + legend, curves.y + " by " + curves.x,
               curves.y + (curves.logarithmic ? " (logarithmic)" : ""), kAxis + legend);
  plot.x.low = r.x_low, plot.x.high = r.x_high;
  plot.y.low = r.y_low, plot.y.high = r.y_high;
  plot.y.logarithmic = curves.logarithmic;
  for (const double tick : y_ticks(curves, r, 8)) plot.y_tick(tick, tick_text(tick));
  plot.axis();
  for (const double tick : x_ticks(r, 10)) plot.x_label(plot.x(tick), tick_text(tick));
  plot.svg.text({plot.right, plot.bottom + 34}, curves.x, "tick", Svg::Anchor::kEnd);
  for (size_t c = 0; c < curves.curves.size(); ++c) {
    draw(plot, curves, c);
    const double y = plot.bottom + kAxis + kLegendLine * static_cast<double>(c);
    plot.svg.line({plot.left, y}, {plot.left + 34, y}, line_of(c));
    plot.svg.mark(static_cast<int>(c), {plot.left + 17, y}, colour_of(c));
    const Curve& curve = curves.curves[c];
    plot.svg.text({plot.left + 44, y + 4},
                  cut(printable(curve.name), 60) + ": " + summary_of(curve, curves), "key");
  }
  return plot.svg.file(kStyle);
}

}  // namespace heed
