// One dialogue of the Ubuntu corpus v1.
#include "dialog/data/formats/ubuntu.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const heed::fuzz::Folder folder;
  folder.write("input.tsv", data, size);
  heed::fuzz::tolerate([&] {
    for (const heed::Dialogue& dialogue : heed::read_ubuntu_v1(folder.path() + "/input.tsv")) {
      heed::fuzz::must(!dialogue.turns.empty());
    }
  });
  return 0;
}
