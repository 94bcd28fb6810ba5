#pragma once

#include "experiments/distraction/tables.h"

namespace heed {

// The whole experiment as one HTML page (experiments/engine/page.h): claims, figures, tables,
// statistics, sample dialogues, and where every number is from.
std::string render_page(const DistractionResults& results, const Inference& inference,
                        const std::vector<Table>& tables);

// The sample dialogues with attention as a heat map, and what the models answer.
std::string dialogues_html(const DistractionResults& results);

}  // namespace heed
