// How a sweep is made.
#pragma once

#include "experiments/making_json.h"
#include "experiments/sweep/sweep.h"

namespace heed {

const Making<Sweep, SweepData>& sweep_making();

}  // namespace heed
