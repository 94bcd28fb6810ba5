#pragma once

#include "dialog/system.h"

namespace heed::pretrained {

System bert_system();

}  // namespace heed::pretrained
