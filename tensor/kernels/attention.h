#pragma once

#include "tensor/kernels/kernel.h"

// Attention over ragged segments: query b has the scores [offsets[b], offsets[b + 1]) and as many
// memory rows, from starts[b] on. No padding: a query costs what its own segment is long.
//
//   scores_j  = memory_j . query_b          j in segment b, of scores and of memory
//   dquery_b  += sum_j dscores_j memory_j   dmemory_j += dscores_j query_b
HEED_KERNEL(template <class T> void segment_scores_forward(T* scores, const T* query,
                                                           const T* memory, const int32_t* offsets,
                                                           const int32_t* starts, int64_t segments,
                                                           int64_t width));
HEED_KERNEL(template <class T>
            void segment_scores_backward(T* dquery, T* dmemory, const T* query, const T* memory,
                                         const T* dscores, const int32_t* offsets,
                                         const int32_t* starts, int64_t segments, int64_t width));
//   context_b = sum_j weights_j memory_j
//   dweights_j += dcontext_b . memory_j     dmemory_j += weights_j dcontext_b
HEED_KERNEL(template <class T> void segment_context_forward(T* context, const T* weights,
                                                            const T* memory, const int32_t* offsets,
                                                            const int32_t* starts, int64_t segments,
                                                            int64_t width));
HEED_KERNEL(template <class T> void segment_context_backward(
    T* dweights, T* dmemory, const T* weights, const T* memory, const T* dcontext,
    const int32_t* offsets, const int32_t* starts, int64_t segments, int64_t width));
// The gradients may be null where nobody needs them; dmemory must be null where segments share
// rows.
