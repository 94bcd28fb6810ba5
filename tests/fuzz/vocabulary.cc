// vocab.txt of a model directory, of words or pieces.
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
    const std::vector<std::string> words = {"a", "zz", "caf\u00E9"};
    const std::vector<int32_t> ids = vocabulary.encode(words);
    heed::fuzz::must(vocabulary.count_words(ids) == 3);
    const bool of_words = vocabulary.kind() == heed::TokenKind::kWords;
    heed::fuzz::must(of_words || vocabulary.words(ids) == words);
  });
  return 0;
}
