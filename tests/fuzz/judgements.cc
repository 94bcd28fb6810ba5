// Files of judgements of people, their keys and predictions.
#include "dialog/judge/judgements.h"
#include "dialog/judge/screening.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace heed;

void read(const std::string& path, judge::Task task) {
  fuzz::tolerate([&] {
    const judge::Key key = judge::read_key(path, task);
    fuzz::must(!key.items.empty());
    fuzz::tolerate(
        [&] { fuzz::must(judge::read_predictions(path, key).size() == key.items.size()); });
  });
  fuzz::tolerate([&] {
    judge::Key key;
    const judge::Judgements all = judge::read_judgements_alone(path, task, key);
    for (const judge::Judgement& j : all.list) {
      fuzz::must(j.item < key.items.size() && j.annotator < all.annotators.size() && j.round >= 1);
      fuzz::must(j.choice >= 0 && static_cast<size_t>(j.choice) < judge::choices(task).size());
    }
    // With the items as a key, the same once more.
    const judge::Judgements again = judge::read_judgements(path, task, key);
    fuzz::must(again.list.size() == all.list.size());
    fuzz::must(judge::screen(all, key, {}).list.size() == all.list.size());
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fuzz::InputFile file(data, size);
  read(file.path(), judge::Task::kRealOrFake);
  read(file.path(), judge::Task::kPairs);
  return 0;
}
