#pragma once

#include "dialog/discriminate/task.h"
#include "dialog/system.h"

namespace heed::discriminate {

System discriminate_system();

// What became no passage, and which responses of a file stand in no passage's place, in a line
// each.
void note_left_out(const Part& part, const std::string& name, const Talk& talk);

}  // namespace heed::discriminate
