// A turn with gaps and the turns before it, in the form that a model reads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/data/corpus.h"
#include "dialog/data/gaps.h"
#include "dialog/text/vocabulary.h"

namespace heed::rewrite {

struct Bounds {
  int max_context = 200;  // units of the context, the last ones, including the end of each turn
  int max_turn = 60;      // units of a turn; longer turns, or longer full forms, are left out
  int max_span = 10;      // units of a filling
};

// A possible filling of a gap: the units [begin, end) of GapExample::read.
struct Candidate {
  int32_t begin, end;
};

struct GapExample {
  std::string id = {};
  Tokens turn = {}, rewritten = {};  // the latter is empty if nobody completed the turn
  std::vector<Gap> gaps = {};        // of the turn, by align()

  // The units of the context, each turn closed by "" (<eou>), then those of the turn; and the same
  // as ids of the model. The context ends at `border`, and the turn begins after it.
  Tokens read = {};
  std::vector<int32_t> ids = {};
  int32_t border = 0;
  std::vector<char> distraction = {};  // of the turns in `read`, whether it is marked as one
  // Every run of up to max_span units of a turn of the context; of equal ones the last. The nearest
  // come first: by their ends, then the shorter first.
  std::vector<Candidate> candidates = {};

  Tokens text(const Candidate& c) const { return {read.begin() + c.begin, read.begin() + c.end}; }
  // The index in `candidates` of the gap's filling; nothing if it is not among them.
  std::optional<size_t> answer(const Gap& gap) const;
};

// The last turn of the dialogue, and those before it. Nothing if the context is empty, or if turn
// or full form have no unit or too many.
std::optional<GapExample> gap_example(const Dialogue& dialogue, const Bounds& bounds,
                                      const Vocabulary& vocabulary);
// The examples of all dialogues; *left_out, if given, counts dialogues without one. Throws
// DataError "PATH:LINE: rule" for a last turn without words, for turns before it of which none has
// any, for a label "rewritten" of no text or several, and if they are `labelled` but a last turn
// has no such label; and with the path alone if there is no example.
std::vector<GapExample> gap_examples(const std::string& path,
                                     const std::vector<Dialogue>& dialogues, const Bounds& bounds,
                                     const Vocabulary& vocabulary, bool labelled,
                                     size_t* left_out = nullptr);
// The frequency of each unit in the dialogues.
TokenCounts count_units(const std::vector<Dialogue>& dialogues);

}  // namespace heed::rewrite
