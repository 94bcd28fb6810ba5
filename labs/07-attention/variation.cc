#include "labs/07-attention/variation.h"

#include <cmath>

#include "labs/support/not_done.h"

namespace heed::lab {

void sink_attention(double*, const double*, const double*, int64_t, int64_t) {
  not_done("lab 7, variation");
}

void sink_attention_backward(double*, double*, const double*, const double*, const double*, int64_t,
                             int64_t) {
  not_done("lab 7, variation");
}

}  // namespace heed::lab
