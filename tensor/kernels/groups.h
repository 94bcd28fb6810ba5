#pragma once

#include "tensor/kernels/kernel.h"

// y[places_g] = or += the sum of x[order_i] over starts_g <= i < starts_{g+1}, for groups g that
// have distinct places; places_g = g where `places` is null. The same order in every run.
HEED_KERNEL(template <class T> void add_groups(Out<T> y, const T* x, const int32_t* places,
                                               const int32_t* starts, const int32_t* order,
                                               int64_t groups, int64_t width));
