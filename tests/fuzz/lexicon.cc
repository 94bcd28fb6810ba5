// The file of --lexicon.
#include "dialog/text/lexicon.h"

#include <cmath>

#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const heed::fuzz::InputFile file(data, size);
  heed::fuzz::tolerate([&] {
    const heed::Lexicon lexicon = heed::read_lexicon(file.path());
    heed::fuzz::must(!lexicon.empty());
    for (const auto& [word, score] : lexicon) {
      heed::fuzz::must(!word.empty() && std::isfinite(score));
      heed::fuzz::must(!heed::has_sentiment(lexicon, word) || std::abs(score) >= 1);
    }
  });
  return 0;
}
