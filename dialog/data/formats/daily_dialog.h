// DailyDialog (Li et al., IJCNLP 2017), CC BY-NC-SA 4.0.
#pragma once

#include "dialog/data/formats/published.h"

namespace heed {

// Reads one of these, plain or gzip, recognised by the first character:
//   the JSON of ConvLab-3 (dialogues.json, all parts in one file): labels "act" and "emotion" of
//     each turn, "topic" and "part" (train, valid or test) of the dialogue; speakers are user and
//     system, the id is the dialogue_id
//   text, one dialogue per line, utterances that end in "__eou__": read_plain_text(), no labels
// Throws DataError "file:line: ..." or "file: dialogue N, turn T: ..." for anything else, and if
// there is no dialogue.
Published read_daily_dialog(const std::string& path, const Reading& reading = {});

}  // namespace heed
