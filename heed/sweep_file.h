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
// Throws DataError where the file cannot be read, UsageError with FILE:LINE where it holds what is
// in no such file: another section, a key twice or without a value, an option that there is not.
SweepFile read_sweep_file(const std::string& path);

// All that the file says, checked. Throws UsageError with FILE:LINE for a value that is
// impossible, with FILE and the point's name for values that do not go together; and DataError.
Sweep read_sweep(const std::string& path);

}  // namespace heed
