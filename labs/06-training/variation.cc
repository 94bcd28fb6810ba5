#include "labs/06-training/variation.h"

#include <cmath>

#include "labs/support/not_done.h"

namespace heed::lab {

void nesterov(double*, double*, const double*, double, int64_t) {
  not_done("lab 6, variation");
}

double warm_up(double, int64_t) {
  not_done("lab 6, variation");
}

}  // namespace heed::lab
