// Chinese dialogues whose last turn people completed (Su et al., "Improving Multi-turn Dialogue
// Modelling with Utterance ReWriter", ACL 2019; GitHub chin-gyou/dialogue-utterance-rewriter).
#pragma once

#include "dialog/data/formats/published.h"

namespace heed {

// The label with a turn's completed text, which can be understood without the turns before.
constexpr const char* kRewritten = "rewritten";

// Reads corpus.txt, plain or gzip: one dialogue per line, two turns of context, a turn, and the
// completed turn, separated by one or two tabs. It gives three turns of the speakers a, b and a;
// the last one has the label "rewritten". Lines with a blank text are left out and counted. Throws
// DataError "file:line: ..." for another number of texts, text that is not UTF-8, and if there is
// no dialogue.
Published read_rewriting(const std::string& path, const Reading& reading = {});

}  // namespace heed
