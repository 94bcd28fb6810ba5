#pragma once

#include "dialog/system.h"

namespace heed::gan {

System adversary_system();

}  // namespace heed::gan
