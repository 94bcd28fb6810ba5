#include "tensor/kernels/attention.h"

#include <algorithm>

#include "tensor/kernels/row_math.h"
#include "tensor/parallel.h"

namespace heed::cpu {

// Calls body(segment, score, memory row) for every row of every segment. Neighbours that look at
// the same rows belong to one thread and take turns, so that each row comes from memory once.
template <class Body>
static void for_each_row(const int32_t* offsets, const int32_t* starts, int64_t segments,
                         Body body) {
  const auto length = [=](int64_t s) { return offsets[s + 1] - offsets[s]; };
  const auto same = [=](int64_t a, int64_t b) {
    return starts[a] == starts[b] && length(a) == length(b);
  };
  parallel_for(segments, [=](int64_t first) {
    if (first > 0 && same(first - 1, first)) return;  // had its turns
    int64_t last = first + 1;
    while (last < segments && same(first, last)) ++last;
    for (int64_t i = 0; i < length(first); ++i) {
      for (int64_t s = first; s < last; ++s) body(s, offsets[s] + i, starts[s] + i);
    }
  });
}

template <class T>
void segment_scores_forward(T* scores, const T* query, const T* memory, const int32_t* offsets,
                            const int32_t* starts, int64_t segments, int64_t width) {
  for_each_row(offsets, starts, segments, [=](int64_t b, int64_t j, int64_t row) {
    scores[j] = row_dot(memory + row * width, query + b * width, width);
  });
}

template <class T>
void segment_scores_backward(T* dquery, T* dmemory, const T* query, const T* memory,
                             const T* dscores, const int32_t* offsets, const int32_t* starts,
                             int64_t segments, int64_t width) {
  for_each_row(offsets, starts, segments, [=](int64_t b, int64_t j, int64_t row) {
    if (dquery) row_axpy(dquery + b * width, dscores[j], memory + row * width, width);
    if (dmemory) row_axpy(dmemory + row * width, dscores[j], query + b * width, width);
  });
}

template <class T>
void segment_context_forward(T* context, const T* weights, const T* memory, const int32_t* offsets,
                             const int32_t* starts, int64_t segments, int64_t width) {
  std::fill(context, context + segments * width, T(0));
  for_each_row(offsets, starts, segments, [=](int64_t b, int64_t j, int64_t row) {
    row_axpy(context + b * width, weights[j], memory + row * width, width);
  });
}

template <class T>
void segment_context_backward(T* dweights, T* dmemory, const T* weights, const T* memory,
                              const T* dcontext, const int32_t* offsets, const int32_t* starts,
                              int64_t segments, int64_t width) {
  for_each_row(offsets, starts, segments, [=](int64_t b, int64_t j, int64_t row) {
    if (dweights) dweights[j] += row_dot(memory + row * width, dcontext + b * width, width);
    if (dmemory) row_axpy(dmemory + row * width, weights[j], dcontext + b * width, width);
  });
}

HEED_INSTANTIATE(segment_scores_forward);
HEED_INSTANTIATE(segment_scores_backward);
HEED_INSTANTIATE(segment_context_forward);
HEED_INSTANTIATE(segment_context_backward);

}  // namespace heed::cpu
