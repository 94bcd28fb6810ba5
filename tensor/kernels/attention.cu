#include "tensor/kernels/attention.h"

#include "tensor/cuda/launch.h"
#include "tensor/cuda/row_math.h"
#include "tensor/kernels/matmul.h"
#include "tensor/kernels/sums.h"

namespace heed::gpu {
namespace {

constexpr int kThreads = 128;  // only the device knows how long the segments are

// The segment of a row: the last one that begins there or before. (Those without rows begin where
// the next one does.)
__device__ int64_t segment_of(const int32_t* offsets, int64_t segments, int64_t row) {
  int64_t first = 0, last = segments - 1;
  while (first < last) {
    const int64_t middle = (first + last + 1) / 2;
    if (offsets[middle] <= row) {
      first = middle;
    } else {
      last = middle - 1;
    }
  }
  return first;
}

// A block for each query in each head: which one this is, and its pairs.
struct Query {
  int64_t row, head, segment, pairs, seen;

  __device__ Query(const PairTable& p, int64_t block)
      : row(block % p.query_rows), head(block / p.query_rows) {
    segment = p.queries ? segment_of(p.queries, p.segments, row) : row;
    const int64_t i = row - p.first_query(segment);
    pairs = head * p.total + p.begin(segment, i);
    seen = p.seen(segment, i);
  }
};

// Where each segment has one query: a thread for each element of the memory's rows.
template <class T>
void collect_one(T* y, const T* w, const T* query, PairTable p, int64_t heads, int64_t width) {
  const int64_t row_width = heads * width;
  for_each(p.memory_rows * row_width, [=] __device__(int64_t i) {
    const int64_t at = i / row_width, col = i % row_width;
    const int64_t s = segment_of(p.memory, p.segments, at);
    const int64_t row = p.starts[s] + at - p.memory[s];
    y[row * row_width + col] += w[col / width * p.total + at] * query[s * row_width + col];
  });
}

int64_t strips_of(int64_t width) {
  return (width + kWarp - 1) / kWarp;
}

}  // namespace

// A warp for each pair; several blocks share the pairs of a query.
template <class T>
void pair_dots(Out<T> w, const T* query, const T* memory, PairTable p, int64_t heads,
               int64_t width) {
  cpu::count_product(p.total, heads, width);
  const int64_t blocks = p.queries ? 1 : 8;
  for_each_block({p.query_rows * heads * blocks, kThreads}, [=] __device__(int64_t block) {
    const Query q(p, block / blocks);
    constexpr int kWarps = kThreads / kWarp;
    const int lane = threadIdx.x % kWarp;
    const int64_t warp = block % blocks * kWarps + threadIdx.x / kWarp;
    const T* a = query + (q.row * heads + q.head) * width;
    for (int64_t j = warp; j < q.seen; j += blocks * kWarps) {
      const T* b = memory + ((p.starts[q.segment] + j) * heads + q.head) * width;
      T sum = 0;
      for (int64_t i = lane; i < width; i += kWarp) sum += a[i] * b[i];
      sum = warp_reduce<Sum>(sum);
      if (lane == 0) w.put(q.pairs + j, sum);
    }
  });
}

// A block for 32 columns of a query in a head; a thread has every kDown-th row of one column.
template <class T>
void pair_sums(Out<T> y, const T* w, const T* memory, PairTable p, int64_t heads, int64_t width) {
  cpu::count_product(p.total, heads, width);
  const int64_t strips = strips_of(width);
  const Grid grid{p.query_rows * heads * strips, dim3(kWarp, kDown)};
  for_each_block(grid, [=] __device__(int64_t block) {
    const Query q(p, block / strips);
    const int64_t col = block % strips * kWarp + threadIdx.x;
    LongSum<T> sum;
    for (int64_t j = threadIdx.y; j < q.seen && col < width; j += kDown) {
      const int64_t row = p.starts[q.segment] + j;
      sum.add(w[q.pairs + j] * memory[(row * heads + q.head) * width + col]);
    }
    const double all = column_sum(sum.total());
    if (threadIdx.y > 0 || col >= width) return;
    y.put((q.row * heads + q.head) * width + col, T(all));
  });
}

// The same for a row of the memory and the queries that see it.
template <class T>
void pair_collect(T* y, const T* w, const T* query, PairTable p, int64_t heads, int64_t width) {
  cpu::count_product(p.total, heads, width);
  if (!p.queries) return collect_one(y, w, query, p, heads, width);
  const int64_t strips = strips_of(width);
  const Grid grid{p.memory_rows * heads * strips, dim3(kWarp, kDown)};
  for_each_block(grid, [=] __device__(int64_t block) {
    const int64_t head = block / strips / p.memory_rows, at = block / strips % p.memory_rows;
    const int64_t s = segment_of(p.memory, p.segments, at), j = at - p.memory[s];
    const int64_t col = block % strips * kWarp + threadIdx.x;
    const int64_t unseen = p.causal ? j + 1 - p.seen(s, 0) : 0;  // so many queries stand before it
    const int64_t first = unseen > 0 ? unseen : 0;
    T sum = 0;
    for (int64_t i = first + threadIdx.y; i < p.query_length(s) && col < width; i += kDown) {
      const int64_t row = p.first_query(s) + i;
      sum += w[head * p.total + p.begin(s, i) + j] * query[(row * heads + head) * width + col];
    }
    sum = column_sum(sum);
    if (threadIdx.y > 0 || col >= width) return;
    y[((p.starts[s] + j) * heads + head) * width + col] += sum;
  });
}

template <class T>
void pair_softmax_forward(T* y, const T* x, T scale, PairTable p, int64_t heads) {
  for_each_block({p.query_rows * heads, kThreads}, [=] __device__(int64_t block) {
    const Query q(p, block);
    const T* from = x + q.pairs;
    T* to = y + q.pairs;
    for (int64_t j = threadIdx.x; j < q.seen; j += blockDim.x) to[j] = scale * from[j];
    const T max = row_max(to, q.seen), factor = T(1) / row_exp_sum(to, max, q.seen);
    for (int64_t j = threadIdx.x; j < q.seen; j += blockDim.x) {
      to[j] = math::exp(to[j] - max) * factor;
    }
  });
}

template <class T>
void pair_softmax_backward(T* dx, const T* y, const T* dy, T scale, PairTable p, int64_t heads) {
  for_each_block({p.query_rows * heads, kThreads}, [=] __device__(int64_t block) {
    const Query q(p, block);
    const T dot = row_dot(y + q.pairs, dy + q.pairs, q.seen);
    for (int64_t j = q.pairs + threadIdx.x; j < q.pairs + q.seen; j += blockDim.x) {
      dx[j] = scale * y[j] * (dy[j] - dot);
    }
  });
}

HEED_INSTANTIATE(pair_dots, pair_sums, pair_collect, pair_softmax_forward, pair_softmax_backward);

}  // namespace heed::gpu
