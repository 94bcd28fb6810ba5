// The kernels that have no .cu file yet: calling one throws. This list only shrinks: who writes
// x.cu deletes its #include and its instantiations here; with the last one, this file goes.
#include "tensor/error.h"
#include "tensor/kernels/kernel.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#undef HEED_KERNEL
#define HEED_KERNEL(...)                                               \
  namespace heed::gpu {                                                \
  __VA_ARGS__ {                                                        \
    throw DeviceError(std::string("no CUDA kernel yet: ") + __func__); \
  }                                                                    \
  }                                                                    \
  static_assert(true)

#include "tensor/kernels/attention.h"
#include "tensor/kernels/cross_entropy.h"
#include "tensor/kernels/gather.h"
#include "tensor/kernels/layout.h"
#include "tensor/kernels/lstm.h"
#include "tensor/kernels/norm.h"
#include "tensor/kernels/random.h"
#include "tensor/kernels/softmax.h"
#include "tensor/kernels/update.h"

namespace heed::gpu {

HEED_INSTANTIATE(segment_scores_forward);
HEED_INSTANTIATE(segment_scores_backward);
HEED_INSTANTIATE(segment_context_forward);
HEED_INSTANTIATE(segment_context_backward);
HEED_INSTANTIATE(cross_entropy_rows);
HEED_INSTANTIATE(cross_entropy_backward);
HEED_INSTANTIATE(gather_rows);
HEED_INSTANTIATE(scatter_add_rows);
HEED_INSTANTIATE(swap_axes);
HEED_INSTANTIATE(copy_block);
HEED_INSTANTIATE(expand_forward);
HEED_INSTANTIATE(expand_backward);
HEED_INSTANTIATE(lstm_step_forward);
HEED_INSTANTIATE(lstm_step_backward);
HEED_INSTANTIATE(layer_norm_forward);
HEED_INSTANTIATE(layer_norm_backward);
HEED_INSTANTIATE(random_uniform);
HEED_INSTANTIATE(random_normal);
HEED_INSTANTIATE(dropout);
HEED_INSTANTIATE(softmax_forward);
HEED_INSTANTIATE(softmax_backward);
HEED_INSTANTIATE(log_softmax_forward);
HEED_INSTANTIATE(log_softmax_backward);
HEED_INSTANTIATE(segment_softmax_forward);
HEED_INSTANTIATE(segment_softmax_backward);
HEED_INSTANTIATE(sum_squares);
HEED_INSTANTIATE(sgd_update);
HEED_INSTANTIATE(sgd_update_rows);
HEED_INSTANTIATE(adam_update);

}  // namespace heed::gpu
