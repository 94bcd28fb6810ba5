// The file of heed sweep. It names dialogues that there are not, so nothing is read or trained.
#include "heed/sweep_file.h"

#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const heed::fuzz::InputFile file(data, size);
  heed::fuzz::tolerate([&] {
    const heed::SweepFile sweep = heed::read_sweep_file(file.path());
    heed::fuzz::must(heed::grid_points(sweep.grid).size() <= heed::kMaxGridPoints);
  });
  heed::fuzz::tolerate([&] { heed::read_sweep(file.path()); });
  return 0;
}
