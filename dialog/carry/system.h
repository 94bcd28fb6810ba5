// The system "carryover": which values of a dialogue still hold.
#pragma once

#include "dialog/system.h"

namespace heed::carry {

System carryover_system();

}  // namespace heed::carry
