#include "tensor/cuda/each.h"
#include "tensor/kernels/scale_rows.cc"
