// JSON Lines dialogues, plain or gzip, and what is written of them.
#include "dialog/data/corpus.h"
#include "tests/dialog/data/count_labels.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const heed::fuzz::Folder folder;
  const heed::fuzz::InputFile file(data, size);
  heed::fuzz::tolerate([&] {
    const heed::Reading with_notes{.notes = true};
    const auto dialogues = heed::read_dialogues(file.path(), with_notes);
    heed::fuzz::must(!dialogues.empty());
    for (const heed::Dialogue& dialogue : dialogues) heed::fuzz::must(!dialogue.turns.empty());
    const std::string copy = folder.path() + "/copy.jsonl";
    heed::write_dialogues(copy, dialogues);
    const auto again = heed::read_dialogues(copy, with_notes);
    heed::fuzz::must(again.size() == dialogues.size());
    heed::fuzz::must(heed::count_labels(again) == heed::count_labels(dialogues));
    heed::fuzz::must(heed::read_dialogues(file.path()).size() == dialogues.size());
    for (size_t d = 0; d < again.size(); ++d) {
      heed::fuzz::must(again[d].turns.size() == dialogues[d].turns.size());
      heed::fuzz::must(again[d].turns.back().text == dialogues[d].turns.back().text);
    }
  });
  return 0;
}
