// What is asked of the settings of a response model: flags, resumed runs, sweeps, descriptions.
#pragma once

#include <string>
#include <vector>

#include "dialog/respond/run.h"
#include "train/settings_json.h"

namespace heed {

// What a run is trained with, under the names of the options that say it; null where an older
// version did not keep it.
nlohmann::ordered_json as_options(const TrainSettings& settings);
// Of those that older versions had no other value of: that value, in this structure.
nlohmann::ordered_json options_before(const Structure& structure = {});
// The options of which this is true: options_that(&Setting::may_change).
std::vector<std::string> options_that(bool Setting::*is);

}  // namespace heed
