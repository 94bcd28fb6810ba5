// Files of judgements of people, their keys and predictions.
#include "dialog/people/judgements.h"
#include "dialog/people/screening.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace heed;

void read(const std::string& path, people::Task task) {
  fuzz::tolerate([&] {
    const people::Key key = people::read_key(path, task);
    fuzz::must(!key.items.empty());
    fuzz::tolerate(
        [&] { fuzz::must(people::read_predictions(path, key).size() == key.items.size()); });
  });
  fuzz::tolerate([&] {
    people::Key key;
    const people::Judgements all = people::read_judgements_alone(path, task, key);
    for (const people::Judgement& j : all.list) {
      fuzz::must(j.item < key.items.size() && j.annotator < all.annotators.size() && j.round >= 1);
      fuzz::must(j.choice >= 0 && static_cast<size_t>(j.choice) < people::choices(task).size());
    }
    // With the items as a key, the same once more.
    const people::Judgements again = people::read_judgements(path, task, key);
    fuzz::must(again.list.size() == all.list.size());
    fuzz::must(people::screen(all, key, {}).list.size() == all.list.size());
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fuzz::InputFile file(data, size);
  read(file.path(), people::Task::kRealOrFake);
  read(file.path(), people::Task::kPairs);
  return 0;
}
