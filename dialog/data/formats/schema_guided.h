// The Schema-Guided Dialogue corpus (Rastogi et al., AAAI 2020), CC BY-SA 4.0.
#pragma once

#include "dialog/data/formats/published.h"

namespace heed {

// Reads the dialogues of a part: its folder as published (all files dialogues*.json; the schema is
// not read), or one file, a JSON array or JSON Lines, plain or gzip. Speakers are user and system,
// the id is the dialogue_id. Labels, with label_value():
//   dialogue  "service"  all of them: restaurants_2
//   user      "state"    after this turn, restaurants_2-time=11:30_am: the first value of each
//                        slot; a service without a frame in a turn keeps its state
//             "intent"   the active intents, except NONE
//   system    "call"     the query that was made: reserverestaurant, and with each parameter
//                        "reserverestaurant date=2019-03-01"
//   both      "act"      inform, and with each value "inform time=11:30" (canonical values if
//                        there are any); a slot without value is "request time=?"
// Throws DataError "file: dialogue N, turn T: ..." for anything else, and if there is no dialogue.
Published read_schema_guided(const std::string& path, const Reading& reading = {});

}  // namespace heed
