// English turns with gaps, made of dialogues whose values are known: what stands in a turn and
// stood before it is left out, or a pronoun stands for it.
#pragma once

#include "dialog/data/formats/published.h"

namespace heed::rewrite {

// Of each turn of a user with a value of his acts or of the state (schema_guided.h) that stands in
// one of the kTurnsBefore turns before, too: a dialogue of these turns and of the turn without the
// value (the longest one), or, unless it is a number, with "there" (a place), "then" (a time) or
// "it" in its place, drawn by the seed; and for each dialogue that has such a turn another one,
// drawn, that is as it was said. The last turn
// has the label "rewritten", all of it in units() (gaps.h). Counts the dialogues without such a
// turn.
constexpr size_t kTurnsBefore = 6;
Published with_gaps(const std::vector<Dialogue>& dialogues, uint64_t seed = 1);

}  // namespace heed::rewrite
