#include "dialog/view/curves.h"

#include <algorithm>
#include <cmath>

#include "dialog/view/curve_ranges.h"

namespace heed {
namespace {

constexpr int kRows = 16, kMinWidth = 20;
constexpr const char* kPlain = "\x1b[0m";
// Blue, orange, green, pink and yellow of 256 colours (after Okabe & Ito 2008).
constexpr int kPalette[] = {32, 208, 36, 175, 178};

std::string paint(size_t curve, const std::string& text) {
  const int colour = kPalette[curve % std::size(kPalette)];
  return "\x1b[38;5;" + std::to_string(colour) + "m" + text + kPlain;
}

// Cells of a terminal. In Braille a cell has 2 x 4 dots, otherwise it is one.
class Canvas {
 public:
  Canvas(int columns, bool braille, bool colour, size_t curves)
      : columns_(columns), braille_(braille), colour_(colour), curves_(curves) {
    cells_.resize(static_cast<size_t>(columns) * kRows);
  }

  int width() const { return columns_ * (braille_ ? 2 : 1); }  // in dots
  int height() const { return kRows * (braille_ ? 4 : 1); }

  void dot(int x, int y, size_t curve) {
    if (x < 0 || y < 0 || x >= width() || y >= height()) return;
    static constexpr unsigned char kBits[4][2] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    const int column = braille_ ? x / 2 : x, row = braille_ ? y / 4 : y;
    Cell& cell = cells_[static_cast<size_t>(row) * static_cast<size_t>(columns_) +
                        static_cast<size_t>(column)];
    cell.dots |= braille_ ? kBits[y % 4][x % 2] : 1;
    cell.curve = curve;
  }
  void line(double x0, double y0, double x1, double y1, size_t curve) {
    const int steps =
        std::max(1, static_cast<int>(std::lround(std::max(std::abs(x1 - x0), std::abs(y1 - y0)))));
    for (int i = 0; i <= steps; ++i) {
      const double part = static_cast<double>(i) / steps;
      dot(static_cast<int>(std::lround(x0 + part * (x1 - x0))),
          static_cast<int>(std::lround(y0 + part * (y1 - y0))), curve);
    }
  }

  std::string row(int row) const {
    std::string text;
    int blanks = 0;  // that something follows
    for (int column = 0; column < columns_; ++column) {
      const Cell& cell = cells_[static_cast<size_t>(row) * static_cast<size_t>(columns_) +
                                static_cast<size_t>(column)];
      if (cell.dots == 0) {
        ++blanks;
        continue;
      }
      text += std::string(static_cast<size_t>(blanks), ' ') + sign(cell.curve, cell.dots);
      blanks = 0;
    }
    return text;
  }
  // Of a curve, with these dots of a cell.
  std::string sign(size_t curve, unsigned char dots = 0xff) const {
    std::string text = curves_ == 1 ? "*" : std::string(1, static_cast<char>('a' + curve % 26));
    if (braille_) {  // U+2800 and the dots
      text = {'\xe2', static_cast<char>(0xa0 | dots >> 6), static_cast<char>(0x80 | (dots & 0x3f))};
    }
    return colour_ ? paint(curve, text) : text;
  }

 private:
  struct Cell {
    unsigned char dots = 0;
    size_t curve = 0;
  };
  const int columns_;
  const bool braille_, colour_;
  const size_t curves_;
  std::vector<Cell> cells_;
};

Scale y_scale(const Canvas& canvas, const CurvePlot& plot, const CurveRanges& r) {
  return {r.y_low, r.y_high, static_cast<double>(canvas.height() - 1), 0, plot.logarithmic};
}

void draw(Canvas& canvas, const CurvePlot& plot, const CurveRanges& r) {
  const Scale x{r.x_low, r.x_high, 0, static_cast<double>(canvas.width() - 1), false};
  const Scale y = y_scale(canvas, plot, r);
  for (size_t c = 0; c < plot.curves.size(); ++c) {
    const auto& points = plot.curves[c].points;
    for (size_t i = 0; i < points.size(); ++i) {
      const auto& before = points[i > 0 ? i - 1 : 0];
      canvas.line(x(before.first), y(before.second), x(points[i].first), y(points[i].second), c);
    }
  }
}

// The text that stands beside each row of cells; empty for most.
std::vector<std::string> row_labels(const Canvas& canvas, const CurvePlot& plot,
                                    const CurveRanges& r) {
  std::vector<std::string> labels(kRows);
  const Scale y = y_scale(canvas, plot, r);
  for (const double tick : y_ticks(plot, r, kRows / 3)) {
    const long dot = std::clamp(std::lround(y(tick)), 0L, long{canvas.height()} - 1);
    labels[static_cast<size_t>(dot / (canvas.height() / kRows))] = tick_text(tick);
  }
  return labels;
}

// Numbers below the axis, where there is room for them, and its name.
std::string x_line(const CurvePlot& plot, const CurveRanges& r, int columns) {
  std::string line;
  const Scale x{r.x_low, r.x_high, 0, static_cast<double>(columns - 1), false};
  for (const double tick : x_ticks(r, columns / 10)) {
    const std::string text = tick_text(tick);
    const auto middle = static_cast<size_t>(std::lround(x(tick)));
    const size_t begin = middle - std::min(middle, text.size() / 2);
    if (begin < line.size() + (line.empty() ? 0 : 1)) continue;
    if (begin + text.size() > static_cast<size_t>(columns)) continue;
    line.resize(begin, ' ');
    line += text;
  }
  const size_t name = plot.x.size() + 2;
  if (line.size() + name <= static_cast<size_t>(columns)) line += "  " + plot.x;
  return line;
}

}  // namespace

std::string curves_text(const CurvePlot& all, const TerminalStyle& style) {
  const CurvePlot plot = drawable(all);
  const CurveRanges ranges = ranges_of(plot);
  const size_t curves = plot.curves.size();
  const bool told_apart = curves == 1 || (style.colour && curves <= std::size(kPalette));
  size_t left = 1;  // columns for the numbers beside the rows
  for (const double tick : y_ticks(plot, ranges, kRows / 3)) {
    left = std::max(left, tick_text(tick).size());
  }
  const int width = std::max(style.width, kMinWidth);
  const int columns = std::max(4, width - static_cast<int>(left) - 2);
  Canvas canvas(columns, style.unicode && told_apart, style.colour, curves);
  const std::vector<std::string> labels = row_labels(canvas, plot, ranges);
  draw(canvas, plot, ranges);

  const std::string edge = style.unicode ? " │" : " |";
  std::string text = cut(printable(plot.y), width) + "\n";
  for (int row = 0; row < kRows; ++row) {
    const std::string& label = labels[static_cast<size_t>(row)];
    text += std::string(left - label.size(), ' ') + label + edge + canvas.row(row) + "\n";
  }
  text += std::string(left + 1, ' ') + (style.unicode ? "└" : "+");
  for (int i = 0; i < columns; ++i) text += style.unicode ? "─" : "-";
  text += "\n" + std::string(left + 2, ' ') + x_line(plot, ranges, columns) + "\n";
  for (size_t c = 0; c < curves; ++c) {
    const Curve& curve = plot.curves[c];
    const std::string legend = printable(curve.name) + ": " + summary_of(curve, plot);
    text += canvas.sign(c) + " " + cut(legend, width - 2) + "\n";
  }
  return text;
}

}  // namespace heed
