#include "tensor/kernels/lstm_layer.h"

#include "base/error.h"

namespace heed::cpu {

// The caches keep the weights here, and a step costs no launch: lstm() goes step by step.
template <class T> void lstm_layer_fits(bool* fits, int64_t, int64_t) {
  *fits = false;
}

template <class T>
void lstm_layer_forward(T*, T*, T*, const T*, const T*, const T*, const int32_t*, int64_t, int64_t,
                        int64_t) {
  throw InternalError("lstm_layer_forward() on the CPU");
}

template <class T>
void lstm_layer_backward(T*, T*, T*, const T*, const T*, const T*, const T*, const int32_t*,
                         int64_t, int64_t, int64_t, bool, bool, bool) {
  throw InternalError("lstm_layer_backward() on the CPU");
}

HEED_INSTANTIATE(lstm_layer_fits);
HEED_INSTANTIATE(lstm_layer_forward);
HEED_INSTANTIATE(lstm_layer_backward);

}  // namespace heed::cpu
