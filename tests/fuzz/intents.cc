// Intents: one JSON object of pairs.
#include "dialog/data/formats/corpora.h"
#include "tests/fuzz/corpus.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const heed::fuzz::InputFile file(data, size);
  heed::fuzz::read_published(heed::read_intents, file.path());
  return 0;
}
