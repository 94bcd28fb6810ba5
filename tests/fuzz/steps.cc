// steps.jsonl of a run: read, cut where a training goes on, and drawn.
#include "train/step_log.h"

#include "dialog/view/curves.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const heed::fuzz::Folder folder;
  folder.write(heed::kStepsFile, data, size);
  heed::fuzz::tolerate([] {
    heed::CurvePlot plot{"step", "loss", false, {{"loss", {}}, {"first metric", {}}}};
    for (const heed::StepRecord& s : heed::load_steps(folder.path())) {
      const auto step = static_cast<double>(s.step);
      plot.curves[0].points.push_back({step, s.loss});
      if (!s.metrics.empty()) plot.curves[1].points.push_back({step, s.metrics[0].value});
    }
    heed::fuzz::must(!heed::curves_text(plot, {.width = 20}).empty());
    plot.logarithmic = true;
    heed::fuzz::must(!heed::curves_svg(plot).empty());
  });
  constexpr int64_t kDone = 10;
  std::string warning;
  { const heed::StepLog log(folder.path(), 1, kDone, &warning); }
  int64_t last = 0;  // what is left is good, in order and of the steps that are done
  for (const heed::StepRecord& s : heed::load_steps(folder.path())) {
    heed::fuzz::must(s.step > last && s.step <= kDone);
    last = s.step;
  }
  heed::fuzz::must(warning.empty() == (last == kDone));
  return 0;
}
