// Chinese dialogues whose last turn people wrote out (Su et al., "Improving Multi-turn Dialogue
// Modelling with Utterance ReWriter", ACL 2019; GitHub chin-gyou/dialogue-utterance-rewriter).
#pragma once

#include "dialog/data/formats/published.h"

namespace heed {

// The label of a turn that says what it would be without what came before.
constexpr const char* kRewritten = "rewritten";

// Reads corpus.txt, plain or gzip: a dialogue a line, two turns of context, a turn, and the turn
// written out, with one or two tabs between each. Three turns of the speakers a, b and a; the last
// one has the label "rewritten". Lines of which a text is blank are left out and counted. Throws
// DataError "file:line: ..." for another number of texts, text that is not UTF-8, and if there is
// no dialogue.
Published read_rewriting(const std::string& path, const Reading& reading = {});

}  // namespace heed
