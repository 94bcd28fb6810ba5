// Files of options, as for --config. Commands are parsed and not run.
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/options.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const heed::fuzz::InputFile file(data, size);
  heed::fuzz::parse_options({"train", "--config", file.path()});
  return 0;
}
