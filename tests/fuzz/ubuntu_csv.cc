// A .csv file of the Ubuntu corpus: contexts of v2, or messages.
#include "dialog/data/formats/ubuntu.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const heed::fuzz::InputFile file(data, size);
  heed::fuzz::tolerate([&] {
    const heed::UbuntuCsv csv = heed::read_ubuntu_csv(file.path());
    heed::fuzz::must(!csv.dialogues.empty() && csv.label_0_rows >= 0);
  });
  return 0;
}
