// A file of the Ubuntu corpus v2.
#include "dialog/ubuntu.h"
#include "fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const heed::fuzz::InputFile file(data, size);
  heed::fuzz::tolerate([&] {
    for (const heed::Dialogue& dialogue : heed::read_ubuntu_v2(file.path())) {
      heed::fuzz::must(!dialogue.turns.empty());
    }
  });
  return 0;
}
