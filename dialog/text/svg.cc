#include "dialog/text/svg.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/list.h"
#include "dialog/text/format.h"
#include "dialog/text/html_page.h"

namespace heed {
namespace {

std::string number(double value) {
  std::string text = decimal(value, 1);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string attribute(const char* name, double value) {
  return std::string(" ") + name + "=\"" + number(value) + "\"";
}

std::string points_of(const std::vector<Point>& points) {
  const auto text = [](const Point& p) { return number(p.first) + "," + number(p.second); };
  return " points=\"" + joined(points, " ", text) + "\"";
}

}  // namespace

Svg::Svg(double width, double height, const std::string& label)
    : begin_("<svg role=\"img\" viewBox=\"0 0 " + number(width) + " " + number(height) +
             "\" width=\"" + number(width) + "\" height=\"" + number(height) + "\" aria-label=\"" +
             escape(label) + "\"") {}

void Svg::shape(const std::string& element, const std::string& css, const std::string& title) {
  const std::string name = element.substr(0, element.find(' '));
  body_ += "<" + element + " class=\"" + css + "\"";
  body_ += title.empty() ? "/>\n" : "><title>" + escape(title) + "</title></" + name + ">\n";
}

void Svg::line(Point from, Point to, const std::string& css) {
  shape("line" + attribute("x1", from.first) + attribute("y1", from.second) +
            attribute("x2", to.first) + attribute("y2", to.second),
        css, "");
}

void Svg::polyline(const std::vector<Point>& points, const std::string& css) {
  shape("polyline fill=\"none\"" + points_of(points), css, "");
}

void Svg::rect(Point corner, double width, double height, const std::string& css,
               const std::string& title) {
  shape("rect" + attribute("x", corner.first) + attribute("y", corner.second) +
            attribute("width", std::max(0.0, width)) + attribute("height", std::max(0.0, height)),
        css, title);
}

void Svg::text(Point at, const std::string& text, const std::string& css, Anchor anchor) {
  const char* where = anchor == Anchor::kStart    ? "start"
                      : anchor == Anchor::kMiddle ? "middle"
                                                  : "end";
  body_ += "<text" + attribute("x", at.first) + attribute("y", at.second) + " text-anchor=\"" +
           where + "\" class=\"" + css + "\">" + escape(text) + "</text>\n";
}

void Svg::mark(int kind, Point at, const std::string& css, const std::string& title) {
  const auto [x, y] = at;
  const std::string name = css + " mark";
  switch (kind % kMarks) {
    case 0:
      return shape("circle" + attribute("cx", x) + attribute("cy", y) + attribute("r", 4), name,
                   title);
    case 1: return rect({x - 3.6, y - 3.6}, 7.2, 7.2, name, title);
    case 2:
      return shape("polygon" + points_of({{x, y - 5.2}, {x + 5.2, y}, {x, y + 5.2}, {x - 5.2, y}}),
                   name, title);
    case 3:
      return shape("polygon" + points_of({{x, y - 4.8}, {x + 4.8, y + 3.8}, {x - 4.8, y + 3.8}}),
                   name, title);
    case 4:
      return shape("path d=\"M" + number(x - 4) + " " + number(y - 4) + "l8 8m0 -8l-8 8\"",
                   css + " stroke", title);
    default:
      return shape("circle" + attribute("cx", x) + attribute("cy", y) + attribute("r", 3.8),
                   css + " stroke hollow", title);
  }
}

std::string Svg::str() const {
  return begin_ + ">\n" + body_ + "</svg>\n";
}

std::string Svg::file(std::string_view style) const {
  return begin_ + " xmlns=\"http://www.w3.org/2000/svg\">\n<style>" + std::string(style) +
         "</style>\n<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n" + body_ + "</svg>\n";
}

SvgPlot::SvgPlot(double width, double height, const std::string& label, const std::string& title,
                 double below)
    : svg(width, height, label), left(44), right(width - 10), top(28), bottom(height - below) {
  svg.text({left, 16}, title, "title");
  x.from = left, x.to = right;
  y.from = bottom, y.to = top;
}

void SvgPlot::y_tick(double value, const std::string& text) {
  svg.line({left, y(value)}, {right, y(value)}, "grid");
  svg.text({left - 6, y(value) + 4}, text, "tick", Svg::Anchor::kEnd);
}

void SvgPlot::y_axis(const std::vector<double>& at, int digits) {
  for (const double value : at) y_tick(value, decimal(value, digits));
  axis();
}

void SvgPlot::axis() {
  svg.line({left, bottom}, {right, bottom}, "axis");
}

void SvgPlot::x_label(double at, const std::string& text) {
  svg.text({at, bottom + 16}, text, "tick", Svg::Anchor::kMiddle);
}

double Scale::operator()(double value) const {
  const auto f = [this](double x) { return logarithmic ? std::log(x) : x; };
  return from + (to - from) * (f(value) - f(low)) / (f(high) - f(low));
}

std::vector<double> ticks(double low, double high, int count) {
  const double rough = (high - low) / std::max(count, 1);
  if (!(rough > 0) || !std::isfinite(rough)) return {};
  const double unit = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * unit;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * unit >= rough) step = factor * unit;
  }
  std::vector<double> result;
  const double first = std::ceil(low / step - 1e-9);
  const double last = std::floor(high / step + 1e-9);
  for (int i = 0; first + i <= last; ++i) result.push_back((first + i) * step);
  return result;
}

std::vector<double> log_ticks(double low, double high) {
  std::vector<double> result;
  if (!(low > 0) || !std::isfinite(high)) return result;
  const auto exponent = [](double x) { return static_cast<int>(std::floor(std::log10(x))); };
  for (int e = exponent(low); e <= exponent(high); ++e) {
    const double power = std::pow(10, e);
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor * power >= low && factor * power <= high) result.push_back(factor * power);
    }
  }
  return result;
}

}  // namespace heed
