// Curves of numbers over epochs or steps, for a terminal and as an SVG file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dialog/text/terminal.h"

namespace heed {

struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;  // (x, y), in the order of x
};
struct CurvePlot {
  std::string x, y;          // names of the axes: "epoch", "valid_perplexity"
  bool logarithmic = false;  // the y axis
  std::vector<Curve> curves = {};
};

// The curves without points that cannot be drawn, because a number is not finite, beyond 1e300 in
// size, or not positive on a logarithmic axis. Throws DataError if no point is left.
CurvePlot drawable(const CurvePlot& plot);

// Lines of at most style.width columns: dots of Braille patterns, or letters if the terminal has no
// Unicode, or no colour to distinguish several curves. Below them is a legend with the lowest and
// the last number of each. Throws as drawable() does.
std::string curves_text(const CurvePlot& plot, const TerminalStyle& style);

// A file that needs no other, in light or dark colours as the reader prefers. Curves differ in
// colour, line style and mark. Throws as drawable() does.
std::string curves_svg(const CurvePlot& plot);

}  // namespace heed
