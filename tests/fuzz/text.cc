// The tokenizer, on any bytes.
#include "dialog/text/tokenizer.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  heed::fuzz::tolerate([&] {
    const std::vector<std::string> tokens = heed::tokenize(text);
    std::string joined;
    for (const std::string& token : tokens) {
      heed::fuzz::must(!token.empty());
      joined += token + " ";
    }
    heed::fuzz::must(joined.size() <= 5 * size + 4);
    heed::fuzz::must(heed::tokenize(joined) == tokens);
    heed::detokenize(tokens);
  });
  return 0;
}
