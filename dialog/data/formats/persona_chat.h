// PersonaChat (Zhang et al., ACL 2018) and its ConvAI2 release; its authors state no licence.
#pragma once

#include "dialog/data/formats/published.h"

namespace heed {

// Reads one file, plain or gzip, in one of these forms, recognised by its beginning:
//   ConvAI2:   numbered lines, which begin with 1 in each dialogue: "1 your persona: i like tea .",
//              "2 partner's persona: ...", then "3 hello .<tab>hi !", the partner's turn and your
//              answer. A fourth field holds candidates separated by '|'
//   XPersona:  JSON, an array of {"persona": [...], "dialogue": [["hello .", "hi !"], ...]}
//   pairs:     "hello .|hi !" per line; a line that begins with the end of the previous one
//              continues its dialogue. No personas and no speakers
// Speakers are partner and you, with their personas. The id is "<file name>:<line>" (for JSON the
// number of the dialogue). Candidates of an answer exclude the answer itself; left_out counts lists
// that lack it, blank texts, and "__SILENCE__", which is written if you speak first. Throws
// DataError "file:line: ..." or "file: dialogue N: ..." for anything else, and if there is no
// dialogue.
Published read_persona_chat(const std::string& path, const Reading& reading = {});

}  // namespace heed
