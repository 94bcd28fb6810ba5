#include "tensor/cuda/each.h"
#include "tensor/kernels/index.cc"
