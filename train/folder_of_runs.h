#pragma once

#include <string>

namespace heed {

// Whether a JSON file describes a folder of runs, of an experiment or a sweep. Its content decides.
bool describes_runs(const std::string& path);

}  // namespace heed
