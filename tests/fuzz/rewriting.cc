// Chinese turns that were written out: lines of four texts; and what becomes of them, a turn with
// gaps that are filled again.
#include "dialog/data/formats/corpora.h"

#include "dialog/rewrite/example.h"
#include "tests/fuzz/corpus.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heed;
  const fuzz::InputFile file(data, size);
  fuzz::read_published(read_rewriting, file.path());
  fuzz::tolerate([&] {
    for (const Dialogue& dialogue : read_rewriting(file.path()).dialogues) {
      const auto e = rewrite::gap_example(dialogue, {}, Vocabulary());
      if (!e) continue;
      fuzz::must(rewrite::filled(e->turn, e->gaps) == e->rewritten);
      const auto labels = rewrite::labels_of(e->gaps, e->turn.size());
      fuzz::must(labels.size() == e->turn.size() + 2);
      for (const rewrite::Gap& gap : rewrite::gaps_of(labels)) {
        fuzz::must(gap.begin <= gap.end && gap.end <= std::ssize(e->turn));
      }
    }
  });
  return 0;
}
