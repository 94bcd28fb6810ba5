#pragma once

#include <string>
#include <vector>

#include "experiments/adversarial/tables.h"

namespace heed {

// The whole experiment as one HTML page (experiments/engine/page.h).
std::string render_adversarial_page(const AdversarialResults& results, const ScoredRows& rows,
                                    const std::vector<Table>& tables);

}  // namespace heed
