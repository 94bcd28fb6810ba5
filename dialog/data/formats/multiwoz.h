// MultiWOZ 2.1 (Budzianowski et al., EMNLP 2018; Eric et al., LREC 2020), MIT.
#pragma once

#include "dialog/data/formats/published.h"

namespace heed {

// Reads one part, plain or gzip, in either form, recognised by the first character:
//   the JSON as published and in ConvLab-2: one object, a member per dialogue, its "log" with the
//     turns of user and system alternately, with "metadata" (the state) and "dialog_act"
//   the tables of DST-STAR: a row per turn of the user, with the system's turn before it, the state
//     after it in a column per slot, and no acts. The system's last turn is not in them
// Speakers are user and system, the id is as in the file. Labels, with label_value():
//   user    "state"  after this turn: hotel-area=north, for every slot of "semi" and "book" alike,
//                    without those that are empty, "not mentioned" or "none"; of several values
//                    the first
//   both    "act"    hotel-inform, and with each slot "hotel-inform area=north"
// The last turn of a JSON dialogue with an odd number of turns has no state. left_out counts blank
// texts, and turns whose acts are a text ("No Annotation") instead of a map. Throws DataError
// "file:line: ..." or "file: dialogue N (ID), turn T: ..." for anything else, and if there is no
// dialogue.
Published read_multiwoz(const std::string& path, const Reading& reading = {});

}  // namespace heed
