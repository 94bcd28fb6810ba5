// The variation of lab 7 (README.md, section variation). You write it in variation.cc.
#pragma once

#include <cstdint>

namespace heed::lab {

// Attention with a sink, which takes its share of the weight and gives nothing: one query (d) over
// the rows m_j of a memory (n, d).
//   s_j = p m_j . query   w_j = e^s_j / (e^z + sum_k e^s_k)   context = sum_j w_j m_j
// Results, gradients too, are assigned, not added to what is there. p and z are your own:
// labs/heed-lab id NAME. Scores may be in the thousands.
void sink_attention(double* context, const double* query, const double* memory, int64_t n,
                    int64_t d);
void sink_attention_backward(double* dquery, double* dmemory, const double* query,
                             const double* memory, const double* dcontext, int64_t n, int64_t d);

}  // namespace heed::lab
