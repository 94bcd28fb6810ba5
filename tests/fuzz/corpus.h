// What the targets of published corpora share.
#pragma once

#include "dialog/data/formats/published.h"
#include "tests/dialog/data/count_labels.h"
#include "tests/fuzz/fuzz.h"

namespace heed::fuzz {

// Reads a corpus; what comes of it can be written and read again.
template <class Reader> void read_published(Reader read, const std::string& path) {
  static const Folder folder;
  tolerate([&] {
    Published corpus = read(path, Reading{});
    must(!corpus.dialogues.empty());
    for (const auto& [what, count] : corpus.left_out) must(!what.empty() && count > 0);
    std::erase_if(corpus.dialogues, [](const Dialogue& d) { return d.turns.empty(); });
    if (corpus.dialogues.empty()) return;
    const std::string copy = folder.path() + "/copy.jsonl";
    write_dialogues(copy, corpus.dialogues);
    const auto dialogues = read_dialogues(copy, Reading{.notes = true});
    must(dialogues.size() == corpus.dialogues.size());
    must(count_labels(dialogues) == count_labels(corpus.dialogues));
    for (size_t i = 0; i < dialogues.size(); ++i) {
      must(dialogues[i].turns.size() == corpus.dialogues[i].turns.size());
      for (const Turn& turn : dialogues[i].turns) must(!is_blank(turn.text));
    }
  });
}

}  // namespace heed::fuzz
