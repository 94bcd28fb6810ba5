#include "tensor/cuda/each.h"
#include "tensor/kernels/random.cc"
