#pragma once

#include "dialog/system.h"

namespace heed::track {

System tracker_system();

}  // namespace heed::track
