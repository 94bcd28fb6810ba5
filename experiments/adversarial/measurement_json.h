// What is measured of a classifier.
#pragma once

#include "experiments/adversarial/settings.h"
#include "experiments/making_json.h"

namespace heed {

using AdversarialRun = Subject<AdversarialSettings, AdversarialData>;

// What generators respond, where it is not there yet; then the names of evaluation.h.
void measure_classifier(const AdversarialRun& run, const OnMeasuring& progress,
                        nlohmann::ordered_json& json);

// How the experiment is made; experiment.h says what it is.
const Making<AdversarialSettings, AdversarialData>& adversarial_making();

}  // namespace heed
