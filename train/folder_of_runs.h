#pragma once

#include <string>

namespace heed {

// Whether a JSON file is the description of a folder of runs, an experiment's or a sweep's: what is
// in it says so.
bool describes_runs(const std::string& path);

}  // namespace heed
