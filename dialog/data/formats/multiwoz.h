// MultiWOZ 2.1 (Budzianowski et al., EMNLP 2018; Eric et al., LREC 2020), MIT.
#pragma once

#include "dialog/data/formats/published.h"

namespace heed {

// Reads one part, plain or gzip, in either form, told by the first sign:
//   the JSON that was published and that ConvLab-2 has: one object, a member a dialogue, its "log"
//     the turns of user and system in turn, with "metadata" (the state) and "dialog_act"
//   the tables of DST-STAR: a row a user's turn, with the system's turn before it, the state after
//     it in a column a slot, and no acts. What the system says last is not in them
// Speakers are user and system, the id is as in the file. Labels, with label_value():
//   user    "state"  after this turn: hotel-area=north, for every slot of "semi" and "book" alike,
//                    without those that are empty, "not mentioned" or "none"; of several values
//                    the first
//   both    "act"    hotel-inform, and with each slot "hotel-inform area=north"
// Of a JSON dialogue with an odd number of turns the last one has no state. left_out counts texts
// that are blank, and turns whose acts are a text ("No Annotation") instead of a map. Throws
// DataError "file:line: ..." or "file: dialogue N (ID), turn T: ..." for anything else, and if
// there is no dialogue.
Published read_multiwoz(const std::string& path, const Reading& reading = {});

}  // namespace heed
