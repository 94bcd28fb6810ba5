// Files of generated responses, and the names of negatives.
#include "dialog/discriminate/responses_file.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heed;
  const fuzz::InputFile file(data, size);
  discriminate::Passage passage{.id = "d#3", .dialogue_id = "d", .context = {{5, 6, 7}}};
  passage.response = {5, 5, 5};
  const std::vector<discriminate::Passage> passages = {passage};
  fuzz::tolerate([&] {
    discriminate::UnfitResponses unfit;
    const discriminate::Responses responses =
        read_responses(file.path(), passages, Vocabulary(), {}, unfit);
    fuzz::must(responses.size() == 1 && responses[0] && responses[0]->size() >= 3 &&
               responses[0]->size() <= 25);
  });
  fuzz::tolerate([&] {
    const std::string text(reinterpret_cast<const char*>(data), size);
    fuzz::must(discriminate::Negatives::parse(text).name() == text);
  });
  return 0;
}
