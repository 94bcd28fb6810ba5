#include "labs/09-a-kernel/variation.h"

#include "labs/support/not_done.h"
#include "tensor/cuda/block.h"

namespace heed::lab {

void log_sum_exp_of_earlier(Float*, const Float*, int64_t, int64_t) {
  not_done("lab 9, variation");
}

void log_sum_exp_of_own(Float*, const Float*, int64_t, int64_t) {
  not_done("lab 9, variation");
}

}  // namespace heed::lab
