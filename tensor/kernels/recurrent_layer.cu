#include "tensor/cuda/each.h"
#include "tensor/kernels/recurrent_layer.cc"
