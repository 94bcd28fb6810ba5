// Attention without its weights, for tables where each segment has its queries
// (PairTable::queries).
#pragma once

#include "tensor/kernels/attention.h"

namespace heed::cpu {

// y_i = sum_j w_ij value_j,  w_i = softmax_j(query_i . key_j / sqrt(width)),  in each head. A tile
// of w is in the cache while it is computed and used. On CUDA an op takes the kernels of
// attention.h instead.
template <class T>
void pair_attention(T* y, const T* query, const T* key, const T* value, PairTable p, int64_t heads,
                    int64_t width);

}  // namespace heed::cpu
