// Byte pair encoding of any bytes: learned from the first half, what is encoded is decoded again.
#include "dialog/text/pieces.h"

#include "dialog/text/tokenizer.h"
#include "dialog/text/vocabulary.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  heed::TokenCounts counts;
  for (const std::string& word : heed::tokenize(text.substr(0, size / 2))) ++counts[word];
  counts[std::string(text.substr(0, size / 2))] += 2;  // what is no word as well
  const heed::Pieces pieces = heed::Pieces::learn(counts, heed::Pieces::kBytes + 64);
  heed::fuzz::must(pieces.decode(pieces.encode(text)) == text);
  for (int32_t i = 0; i < pieces.size(); ++i) {
    heed::fuzz::must(heed::piece_of_name(heed::piece_name(pieces[i])) == pieces[i]);
  }
  const heed::Vocabulary vocabulary = heed::Vocabulary::build(
      counts, {.max_size = heed::kSmallestOfPieces + 64, .kind = heed::TokenKind::kPieces});
  const std::vector<std::string> words = heed::tokenize(text);
  bool known = true;
  for (const std::string& word : words) known = known && vocabulary.knows(word);
  heed::fuzz::must(!known || vocabulary.words(vocabulary.encode(words)) == words);
  return 0;
}
