#include "tensor/cuda/each.h"
#include "tensor/kernels/elementwise.cc"
