// values.txt of a tracker: a vocabulary of slot=value.
#include "dialog/track/states.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const heed::fuzz::InputFile file(data, size);
  heed::fuzz::tolerate([&] {
    const heed::track::Slots slots(heed::Vocabulary::load(file.path()), file.path());
    for (int32_t place = 0; place <= slots.size(); ++place) (void)slots.value(place);
    (void)slots.named(slots.nothing());
  });
  return 0;
}
