#include "tensor/kernels/isa.h"

#ifndef HEED_KERNELS_ISA
#define HEED_KERNELS_ISA "this compiler's default"
#endif

namespace heed::cpu {

const char* isa() {
  return HEED_KERNELS_ISA;
}

}  // namespace heed::cpu
