#pragma once

#include "dialog/system.h"

namespace heed::adversary {

System adversary_system();

}  // namespace heed::adversary
