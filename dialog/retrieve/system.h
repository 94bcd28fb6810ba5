// The system "retrieval": dual encoders, which choose responses.
#pragma once

#include "dialog/system.h"

namespace heed::retrieve {

System retrieval_system();

}  // namespace heed::retrieve
