#pragma once

#include "dialog/system.h"

namespace heed::comprehend {

System comprehend_system();

}  // namespace heed::comprehend
