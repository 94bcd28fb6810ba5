// Pools of texts, and dialogues with candidates: the lists that are made of them.
#include <algorithm>

#include "dialog/retrieve/candidates.h"
#include "dialog/retrieve/pool.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace heed;
using retrieve::Lists;

// Each list has its right response first, and numbers of texts.
void check_lists(const std::string& path, const std::vector<Dialogue>& dialogues,
                 const std::string& kind) {
  fuzz::tolerate([&] {
    const ExampleOptions every{.all_positions = true, .min_turns = 2};
    const Lists lists(path, dialogues, retrieve::make_pairs(dialogues, every, true),
                      retrieve::parse_list_kind(kind));
    fuzz::must(lists.size() > 0);
    for (size_t i = 0; i < lists.size(); ++i) {
      const std::vector<int32_t> candidates = lists.candidates(i);
      fuzz::must(candidates.size() >= 2);
      for (const int32_t c : candidates) fuzz::must(c >= 0 && c < std::ssize(lists.texts()));
      const retrieve::Pair& pair = lists.pair(i);
      const std::string &right = lists.texts()[candidates[0]],
                        &said = dialogues[pair.dialogue].turns[pair.response].text;
      fuzz::must(right == said || retrieve::bare(right) == retrieve::bare(said));
    }
    (void)find_duplicates(lists);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fuzz::InputFile file(data, size);
  const std::string path = file.path();
  fuzz::tolerate([&] {
    const std::vector<std::string> pool = retrieve::read_pool(path);
    fuzz::must(pool.size() >= 2);
    for (const std::string& text : pool) fuzz::must(!is_blank(text));
    fuzz::must(retrieve::coverage(pool, pool) == 1);
    fuzz::must(retrieve::most_frequent(pool, 3).size() <= 3);
    const std::vector<Dialogue> asked = {{"a", {{"", "hello"}, {"", "Yes!"}, {"", pool[0]}}, {}},
                                         {"b", {{"", "?"}, {"", "no"}}, {}}};
    for (const char* kind : {"whitelist:", "covered:"}) check_lists(path, asked, kind + path);
  });
  fuzz::tolerate([&] {
    const auto dialogues = read_dialogues(path, {.limit = 0, .progress = {}, .notes = true});
    for (const char* kind : {"given", "stride:2", "random:3"}) check_lists(path, dialogues, kind);
  });
  return 0;
}
