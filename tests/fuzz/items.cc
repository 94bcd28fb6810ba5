// Items of slot carryover.
#include "dialog/carry/encoded.h"
#include "dialog/carry/rules.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heed;
  const fuzz::InputFile file(data, size);
  fuzz::tolerate([&] {
    std::string again;
    for (const carry::Item& item :
         carry::read_items(file.path(), {.labels = carry::Labels::kOptional})) {
      const carry::Encoded e = carry::encode(item, Vocabulary());
      fuzz::must(e.slots.size() == item.candidates.size());
      for (const carry::Encoded::Slot& slot : e.slots) {
        fuzz::must(0 <= slot.begin && slot.begin < slot.end && !slot.key.empty());
        fuzz::must(slot.end <= std::ssize(e.tokens) && slot.distance >= 0);
      }
      carry::Tallies tallies;
      for (const char* rule : carry::kRules) {
        const std::vector<char> decided = carry::decide_by_rule(rule, item);
        fuzz::must(decided.size() == item.candidates.size());
        if (item.labelled) carry::count(item, decided, tallies);
      }
      again += carry::item_line(item);
    }
    const fuzz::InputFile copy(reinterpret_cast<const uint8_t*>(again.data()), again.size());
    (void)carry::read_items(copy.path(), {.labels = carry::Labels::kOptional});
  });
  return 0;
}
