// The file of --embeddings.
#include "dialog/text/word_vectors.h"

#include <cmath>

#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const heed::fuzz::InputFile file(data, size);
  const heed::Vocabulary vocabulary = heed::Vocabulary::build({{"the", 3}, {"of", 2}, {". .", 1}});
  heed::fuzz::tolerate([&] {
    const heed::WordVectors v = heed::read_word_vectors(file.path(), vocabulary);
    heed::fuzz::must(v.width == heed::word_vector_width(file.path()));
    heed::fuzz::must(v.values.size() == v.ids.size() * static_cast<size_t>(v.width));
    for (const int32_t id : v.ids) {
      heed::fuzz::must(id >= heed::kSpecialTokens && id < vocabulary.size());
    }
    for (const float x : v.values) heed::fuzz::must(std::isfinite(x));
  });
  return 0;
}
