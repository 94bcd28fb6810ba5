// Label files of probe sets.
#include "dialog/probe/label_file.h"
#include "dialog/probe/probe.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heed;
  const fuzz::InputFile file(data, size);
  fuzz::tolerate([&] {
    const probe::LabelledExamples examples = probe::read_labels(file.path());
    fuzz::must(!examples.ids.empty() && examples.keys.size() == examples.ids.size());
    for (const auto& [task, sets] : examples.tasks) {
      fuzz::must(sets.size() == examples.ids.size());
      const probe::Binariser binariser(sets);
      fuzz::must(binariser.count_unseen(sets) == 0);
      const auto ids = binariser(sets);
      for (size_t i = 0; i < sets.size(); ++i) fuzz::must(ids[i].size() == sets[i].size());
    }
  });
  return 0;
}
