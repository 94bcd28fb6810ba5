#include "tensor/cuda/each.h"
#include "tensor/kernels/pooling.cc"
