// PersonaChat (Zhang et al., ACL 2018) and its ConvAI2 release; licence not stated by its authors.
#pragma once

#include "dialog/data/formats/published.h"

namespace heed {

// Reads one file, plain or gzip, in one of these forms, told by its beginning:
//   ConvAI2:   numbered lines, which begin with 1 in each dialogue: "1 your persona: i like tea .",
//              "2 partner's persona: ...", then "3 hello .<tab>hi !", what the partner says and
//              what you answer. A fourth field holds candidates with '|' between them
//   XPersona:  JSON, an array of {"persona": [...], "dialogue": [["hello .", "hi !"], ...]}
//   pairs:     "hello .|hi !" a line; a line that begins with what the last one ended with goes on
//              with its dialogue. No personas and no speakers
// Speakers are partner and you, personas are theirs. The id is "<file name>:<line>" (of JSON the
// number of the dialogue). Candidates of an answer are without the answer itself; left_out counts
// lists that lack it, blank texts, and "__SILENCE__", which stands where you speak first. Throws
// DataError "file:line: ..." or "file: dialogue N: ..." for anything else, and if there is no
// dialogue.
Published read_persona_chat(const std::string& path, const Reading& reading = {});

}  // namespace heed
