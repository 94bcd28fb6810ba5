// Included before a .cu, makes it instantiate its kernels for Watched<float> instead:
//   #include "tensor/cuda/watched_kernels.h"
//   #include "tensor/kernels/softmax.cu"
// For many files, use the compiler's option -include.
#pragma once

#include "emulator/watched.h"
#include "tensor/kernels/elementwise_ops.h"
#include "tensor/kernels/kernel.h"

// NOLINTBEGIN(bugprone-macro-parentheses): templates and types take none
#undef HEED_INSTANTIATE_ONE
#define HEED_INSTANTIATE_ONE(kernel) \
  template decltype(kernel<emulator::Watched<float>>) kernel<emulator::Watched<float>>;
#undef HEED_INSTANTIATE_UNARY
#define HEED_INSTANTIATE_UNARY(Op, ...) HEED_INSTANTIATE_UNARY_OF(Op, emulator::Watched<float>)
#undef HEED_INSTANTIATE_BINARY
#define HEED_INSTANTIATE_BINARY(Op, ...) HEED_INSTANTIATE_BINARY_OF(Op, emulator::Watched<float>)
#undef HEED_INSTANTIATE_COMPARISON
#define HEED_INSTANTIATE_COMPARISON(Op) HEED_INSTANTIATE_COMPARISON_OF(Op, emulator::Watched<float>)
// NOLINTEND(bugprone-macro-parentheses)
