#pragma once

#include "experiments/probes/tables.h"

namespace heed {

// The whole experiment as one HTML page (experiments/engine/page.h).
std::string render_probes_page(const ProbesResults& results, const Inference& inference,
                               const std::vector<Table>& tables);

// F1 by epoch (the paper's Figures 5 to 7): a panel a task, a line a model, of a reading.
std::string epochs_figure(const ProbesResults& results, const std::string& reading);

}  // namespace heed
