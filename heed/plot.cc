#include <algorithm>
#include <cmath>

#include "base/file.h"
#include "dialog/view/curves.h"
#include "heed/checks.h"
#include "heed/command.h"
#include "train/run_log.h"

namespace heed {
namespace {

struct PlotOptions : CommandOptions {
  std::vector<std::string> runs;
  std::string metric, svg;
  bool steps = false, log_scale = false;
  double smooth = 0;
};

// TensorBoard's exponential mean: m_i = w m_(i-1) + (1 - w) y_i from 0, divided by the sum of the
// weights.
void smooth(Curve& curve, double weight) {
  double mean = 0, sum = 0;
  for (auto& [x, y] : curve.points) {
    if (!std::isfinite(y)) continue;
    mean = weight * mean + (1 - weight) * y;
    sum = weight * sum + (1 - weight);
    y = mean / sum;
  }
}

Curve curve_of(const RunLog& log, const std::string& name, const std::string& metric) {
  const size_t column = log.column(metric);
  Curve curve{name, {}};
  for (const std::vector<double>& row : log.rows) curve.points.push_back({row[0], row[column]});
  return curve;
}

bool has_numbers(const Curve& curve) {
  return std::any_of(curve.points.begin(), curve.points.end(),
                     [](const auto& point) { return std::isfinite(point.second); });
}

void run(const PlotOptions& o) {
  if (!o.svg.empty()) check_writable(o.svg);
  const std::vector<std::string> names = run_names(o.runs);
  for (const std::string& name : names) {
    if (std::count(names.begin(), names.end(), name) > 1)
      throw UsageError("runs: the same one twice, " + name);
  }
  CurvePlot plot{o.steps ? "step" : "epoch", o.metric, o.log_scale};
  for (size_t r = 0; r < o.runs.size(); ++r) {
    const RunLog log = log_of(o.runs[r], o.steps);
    if (plot.y.empty())
      plot.y = !o.steps && log.has("valid_perplexity") ? "valid_perplexity" : "loss";
    for (const RunLog& task : logs_of_tasks(log)) {
      const std::string of = task.task_of(0).empty() ? "" : " " + task.task_of(0);
      Curve curve = curve_of(task, names[r] + of, plot.y);
      if (!of.empty() && !has_numbers(curve)) continue;  // a metric of other tasks
      if (o.smooth > 0) smooth(curve, o.smooth);
      plot.curves.push_back(std::move(curve));
    }
  }
  print_text(curves_text(plot, terminal_style(stdout)));
  if (o.svg.empty()) return;
  write_file(o.svg, curves_svg(plot));
  std::printf("%s is written\n", printable(o.svg).c_str());
}

}  // namespace

void add_plot(CLI::App& app) {
  const auto [c, o] = declare<PlotOptions>(
      app, "plot", "Draw curves of runs in the terminal and as SVG",
      "Every column of log.jsonl, or with --steps of steps.jsonl, is a metric; "
      "heed log shows them.\n"
      "Examples:\n"
      "  heed plot runs/baseline runs/trained --svg perplexity.svg\n"
      "  heed plot runs/first --steps --metric loss --log-scale --smooth 0.9",
      {.device = false, .seed = ""}, run);
  c.add_option("runs", o.runs, "Directories of runs")->required()->expected(1, 100);
  c.add_option(
      "--metric", o.metric,
      "The column to draw (default: valid_perplexity; of steps, and where there is none, loss)");
  c.add_flag("--steps", o.steps, "Draw the lines of steps.jsonl instead of log.jsonl");
  c.add_flag("--log-scale", o.log_scale, "Use a logarithmic y axis");
  option(c, "--smooth", o.smooth,
         "Draw an exponential mean with this weight on earlier values, below 1", number(0, 0.9999));
  c.add_option("--svg", o.svg, "Write a picture to this file")->check(a_file());
}

}  // namespace heed
