// Files of generated responses, and the names of negatives.
#include "dialog/adversarial/responses_file.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heed;
  const fuzz::InputFile file(data, size);
  adversarial::Passage passage{.id = "d#3", .dialogue_id = "d", .context = {{5, 6, 7}}};
  passage.response = {5, 5, 5};
  const std::vector<adversarial::Passage> passages = {passage};
  fuzz::tolerate([&] {
    adversarial::UnfitResponses unfit;
    const adversarial::Responses responses =
        read_responses(file.path(), passages, Vocabulary(), {}, unfit);
    fuzz::must(responses.size() == 1 && responses[0] && responses[0]->size() >= 3 &&
               responses[0]->size() <= 25);
  });
  fuzz::tolerate([&] {
    const std::string text(reinterpret_cast<const char*>(data), size);
    fuzz::must(adversarial::Negatives::parse(text).name() == text);
  });
  return 0;
}
