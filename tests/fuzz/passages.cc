// Questions on passages, in their four published forms.
#include "dialog/comprehend/passage.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heed;
  const fuzz::InputFile file(data, size);
  fuzz::tolerate([&] {
    for (const comprehend::Passage& p : comprehend::read_passages(file.path()).passages) {
      fuzz::must(!p.questions.empty());
      for (const comprehend::Question& q : p.questions) {
        fuzz::must(!q.answers.empty());
        for (const comprehend::Answer& a : q.answers) {
          fuzz::must(a.begin <= a.end && a.end <= p.text.size());
        }
        fuzz::must(p.turn_at(q.answers[0].begin).begin <= q.answers[0].begin);
      }
    }
  });
  return 0;
}
