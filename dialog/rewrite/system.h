// The row of models of gaps in the list of systems.
#pragma once

#include "dialog/system.h"

namespace heed::rewrite {

System gaps_system();

}  // namespace heed::rewrite
