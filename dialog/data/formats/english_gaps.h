// English turns with gaps, made from dialogues with annotated values: a value that was mentioned
// before is left out of a turn or replaced by a pronoun.
#pragma once

#include "dialog/data/formats/published.h"

namespace heed::rewrite {

// For each turn of a user with a value of its acts or of the state (schema_guided.h) that also
// occurs in one of the kTurnsBefore turns before it: a dialogue of these turns and of the turn in
// which the (longest) value is left out or, unless it is a number, replaced by "there" (a place),
// "then" (a time) or "it", as the seed decides; and for each dialogue with such a turn another,
// randomly drawn turn as it was said.
// The last turn has the label "rewritten". All texts are in units() (gaps.h). Counts the dialogues
// without such a turn.
constexpr size_t kTurnsBefore = 6;
Published with_gaps(const std::vector<Dialogue>& dialogues, uint64_t seed = 1);

}  // namespace heed::rewrite
