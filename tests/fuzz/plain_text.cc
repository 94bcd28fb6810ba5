// Dialogues in plain text: the first byte chooses the layout, the rest is the file.
#include "dialog/data/formats/plain_text.h"
#include "dialog/data/split.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const auto layout = static_cast<heed::TextLayout>(data[0] % 4);
  const heed::fuzz::InputFile file(data + 1, size - 1);
  heed::fuzz::tolerate([&] {
    const heed::PlainText text = heed::read_plain_text(file.path(), {layout});
    heed::fuzz::must(text.layout != heed::TextLayout::kAuto && !text.dialogues.empty());
    for (const heed::Dialogue& dialogue : text.dialogues) {
      for (const heed::Turn& turn : dialogue.turns) heed::fuzz::must(!turn.text.empty());
    }
    const auto groups = heed::group_dialogues(text.dialogues, heed::SplitBy::kConversation);
    const heed::Parts parts = heed::split(groups, 0.2, 0.2, 1);
    heed::fuzz::must(parts.train.size() + parts.valid.size() + parts.test.size() == groups.size());
    heed::fuzz::must(heed::count_shared(text.dialogues, parts) == 0);
  });
  return 0;
}
