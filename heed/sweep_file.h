// The file of `heed sweep`: TOML, as --config reads it.
//   [train]   options of heed train that all runs have: data = "DIR", preset = "smoke"
//   [grid]    options of heed train with several values: rate = [0.01, 0.003]
//   [sweep]   seeds, seed, test, test-seed, test-limit, best
#pragma once

#include <memory>
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

// All that the file says, checked: no training can fail for what stands in it.
struct SweepRequest {
  Sweep sweep;
  std::string data;
  uint64_t first_seed = 1;
  int seeds = 1;
  std::vector<std::unique_ptr<SweepData>> loaded;  // what the points refer to
};
// Reads the dialogues as well. Throws UsageError with FILE:LINE for a value that is impossible,
// with FILE and the point's name for values that do not go together; and DataError.
SweepRequest read_sweep(const std::string& path);

}  // namespace heed
