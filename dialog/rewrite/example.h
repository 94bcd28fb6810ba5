// A turn with gaps and the turns before it, as a model reads them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/data/corpus.h"
#include "dialog/data/gaps.h"
#include "dialog/text/vocabulary.h"

namespace heed::rewrite {

struct Bounds {
  int max_context = 200;  // units of the context, the last ones, the end of each turn counted
  int max_turn = 60;      // units of a turn: a longer one, or its full form, is left out
  int max_span = 10;      // units of what may fill a gap

  void check() const;  // throws UsageError
};

// What may fill a gap: the units [begin, end) of GapExample::read.
struct Candidate {
  int32_t begin, end;
};

struct GapExample {
  std::string id = {};
  Tokens turn = {}, rewritten = {};  // the latter is empty where nobody wrote it out
  std::vector<Gap> gaps = {};        // that it has, by align()

  // The units of the context, each turn closed by "" (<eou>), then those of the turn, and the same
  // in the model's numbers. The end of the context is at `border`, the turn begins behind it.
  Tokens read = {};
  std::vector<int32_t> ids = {};
  int32_t border = 0;
  // Every run of up to max_span units of a turn of the context; of equal ones the last. The nearest
  // first: by the end, then the shorter first.
  std::vector<Candidate> candidates = {};

  Tokens text(const Candidate& c) const { return {read.begin() + c.begin, read.begin() + c.end}; }
  // The place in `candidates` of what fills the gap; nothing where it does not stand there.
  std::optional<size_t> answer(const Gap& gap) const;
};

// The last turn of the dialogue, and those before it. Nothing where the context is empty, or turn
// or full form have no unit or too many.
std::optional<GapExample> gap_example(const Dialogue& dialogue, const Bounds& bounds,
                                      const Vocabulary& vocabulary);
// All of them; *left_out counts the others, if it is given. Throws DataError, with the path, for a
// dialogue whose last turn has no label "rewritten" where they are `labelled`, and where none is
// left.
std::vector<GapExample> gap_examples(const std::string& path,
                                     const std::vector<Dialogue>& dialogues, const Bounds& bounds,
                                     const Vocabulary& vocabulary, bool labelled,
                                     size_t* left_out = nullptr);
// How often each unit stands in the dialogues.
TokenCounts count_units(const std::vector<Dialogue>& dialogues);

}  // namespace heed::rewrite
