// The file of `heed sweep`: TOML, as --config reads it.
//   [train]   options of heed train that all runs have: data = "DIR", preset = "smoke"
//   [grid]    options of heed train with several values: rate = [0.01, 0.003]
//   [sweep]   seeds, seed, test, test-seed, test-limit, best
#pragma once

#include <string>
#include <vector>

#include "experiments/sweep/sweep.h"

namespace heed {

struct SweepFile {
  std::string path;
  std::vector<GridOption> train, grid, sweep;
};
// Throws DataError if the file cannot be read. Throws UsageError with FILE:LINE for contents that
// such a file cannot have: another section, a repeated key or one without a value, an unknown
// option.
SweepFile read_sweep_file(const std::string& path);

// The contents of the file, checked. Throws UsageError with FILE:LINE for an impossible value, and
// with FILE and the name of the point for values that do not fit together; and DataError.
Sweep read_sweep(const std::string& path);

}  // namespace heed
