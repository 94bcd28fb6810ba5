// vocab.txt of a model directory.
#include "dialog/text/vocabulary.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const heed::fuzz::InputFile file(data, size);
  heed::fuzz::tolerate([&] {
    const heed::Vocabulary vocabulary = heed::Vocabulary::load(file.path());
    heed::fuzz::must(vocabulary.size() >= heed::kSpecialTokens);
    for (int32_t id = 0; id < vocabulary.size(); ++id) {
      heed::fuzz::must(vocabulary.id(vocabulary.token(id)) == id);
    }
  });
  return 0;
}
