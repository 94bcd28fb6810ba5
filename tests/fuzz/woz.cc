// WOZ 2.0: JSON.
#include "dialog/data/formats/corpora.h"
#include "tests/fuzz/corpus.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const heed::fuzz::InputFile file(data, size);
  heed::fuzz::read_published(heed::read_woz, file.path());
  return 0;
}
