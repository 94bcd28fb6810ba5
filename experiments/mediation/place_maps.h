// What the results show of utterances at every place (experiments/measure/places.h): numbers of
// places.json.
#pragma once

#include <string>
#include <vector>

#include "experiments/engine/report/inference.h"

namespace heed::mediation {

void add_place_measures(std::vector<Measure>& measures);
// Of the structures trained on the data as they are, a map of DAS ratios of own and of foreign
// utterances; empty if nothing was measured.
std::string place_maps(const Findings& found);

}  // namespace heed::mediation
