#pragma once

#include "experiments/distraction/tables.h"

namespace heed {

// The whole experiment as one HTML page: claims, figures, tables, statistics, sample dialogues, and
// where every number is from. It needs no other file and no network; without scripts only the
// sorting of tables is missing. Light and dark, in print, and readable without colour.
std::string render_page(const Results& results, const Inference& inference,
                        const std::vector<Table>& tables);

}  // namespace heed
