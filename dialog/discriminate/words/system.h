#pragma once

#include "dialog/system.h"

namespace heed::words {

System hredgan_system();

}  // namespace heed::words
