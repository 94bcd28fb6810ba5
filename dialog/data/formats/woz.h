// WOZ 2.0 (Wen et al., EACL 2017; Mrkšić et al., ACL 2017), Apache-2.0.
#pragma once

#include "dialog/data/formats/published.h"

namespace heed {

// Reads one part, woz_train_en.json, plain or gzip: a list of objects with "dialogue_idx" (an
// integer) and "dialogue", the user's turns with the system's turn before each. Speakers are user
// and system, the id is the number. Labels, with label_value():
//   system  "act"    request food, confirm area=north: its requests and confirmations
//   user    "state"  after this turn: food=chinese; of several values of a slot the first
//           "act"    of this turn: inform food=chinese, request phone
// left_out counts blank texts, except the system's before the first turn. Throws DataError
// "file:line: ..." or "file: dialogue N, turn T: ..." for anything else, and if there is no
// dialogue.
Published read_woz(const std::string& path, const Reading& reading = {});

}  // namespace heed
