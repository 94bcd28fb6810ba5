// A block has `units` units of the layer and their part of the recurrent weights, in shared memory
// from the first step to the last. The `parts` blocks that have all units between them are a group;
// a group has every groups-th tile of the sequences. So a step of a group needs nothing of the
// other groups, and the groups of short sequences end early. Between two steps the blocks of a
// group wait for each other; states and gradients go through global memory.
//
// In both directions the product of a step is (rows of a tile, K) times the block's part of the
// weights: forward K = hidden and 4 units columns, backward K = 4 hidden and `units` columns. A
// thread sums 4 x 4 of its elements; backward a quarter of the threads has a quarter of K each, and
// the quarters are added in order.
#include "tensor/kernels/persistent_lstm.h"

#include <cstdlib>
#include <optional>
#include <string>

#include "base/error.h"
#include "tensor/cuda/steps.h"
#include "tensor/kernels/cells.h"

namespace heed::gpu {
namespace {

constexpr int kThreads = 256;
constexpr int kRun = 8;  // neighbouring columns of the left factor, which a tile has four of

template <int units> constexpr int kRows = 4 * kThreads / units;  // sequences of a tile
// Four more than needed: neighbours down the columns lie in different banks, and in 16 bytes.
template <int units> constexpr int kTileStride = kRows<units> + 4;
template <int units, bool backward> constexpr int kWidth = backward ? units : 4 * units + 4;
// Elements of shared memory before the weights: a tile of the left factor, later the quarters.
template <int units> constexpr int kTile = std::max(4 * kRun * kTileStride<units>, 16 * kThreads);

// What all blocks know.
struct Work {
  const int32_t* offsets;
  unsigned* arrived;  // for each group
  int64_t steps, hidden;
  int parts, groups;

  __device__ int64_t rows(int64_t t) const { return offsets[t + 1] - offsets[t]; }
  __device__ int64_t row(int64_t t) const { return offsets[t]; }  // the first
  __device__ int64_t group() const { return blockIdx.x / parts; }
  template <int units> __device__ int64_t first_unit() const {
    return int64_t{blockIdx.x % parts} * units;
  }
  // The unit that this thread finishes, which may be beyond the last; its rows are four of a tile.
  template <int units> __device__ int64_t unit() const {
    return first_unit<units>() + threadIdx.x % units;
  }
  template <int units> __device__ int first_row() const { return 4 * (threadIdx.x / units); }
};

// ---- the product

// Columns k to k + 4 kRun of x (rows, hidden); or k to k + kRun of each quarter of x (rows, 4
// hidden). Zero where there are none.
template <class T, int units, bool backward>
__device__ void fetch(T (&held)[kRows<units> / kRun], const T* x, int64_t k, int64_t rows,
                      int64_t hidden) {
  const int64_t length = backward ? 4 * hidden : hidden;
  for (int i = 0; i < kRows<units> / kRun; ++i) {
    const int64_t row = 32 * (i / 4) + threadIdx.x / kRun;
    const int64_t at = k + threadIdx.x % kRun + (backward ? 0 : kRun * (i % 4));
    const bool there = row < rows && at < hidden;
    held[i] = there ? __ldcg(x + row * length + (backward ? i % 4 * hidden : 0) + at) : T(0);
  }
}

template <class T, int units> __device__ void put(const T (&held)[kRows<units> / kRun]) {
  HEED_SHARED_DYNAMIC(T, shared);
  for (int i = 0; i < kRows<units> / kRun; ++i) {
    const int row = 32 * (i / 4) + threadIdx.x / kRun;
    shared[(kRun * (i % 4) + threadIdx.x % kRun) * kTileStride<units> + row] = held[i];
  }
}

// sum += `depth` columns of the tile, from `tile` on, times as many rows of the weights.
template <class T, int units, bool backward>
__device__ void add_products(T (&sum)[4][4], int tile, int weights, int depth) {
  HEED_SHARED_DYNAMIC(T, shared);
  for (int k = 0; k < depth; ++k) {
    T a[4], b[4];
    for (int i = 0; i < 4; ++i) a[i] = shared[tile + k * kTileStride<units> + i];
    for (int i = 0; i < 4; ++i) b[i] = shared[weights + k * kWidth<units, backward> + i];
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) sum[i][j] += a[i] * b[j];
    }
  }
}

// sum = this thread's 4 x 4 elements of x times the weights, with `rows` rows of x in this tile.
template <class T, int units, bool backward>
__device__ void multiply(T (&sum)[4][4], const T* x, int64_t rows, int64_t hidden) {
  constexpr int kAcross = backward ? units / 4 : units, kDepth = backward ? kRun : 4 * kRun;
  constexpr int kTogether = backward ? kThreads / 4 : kThreads;  // threads with the same k
  const int quarter = threadIdx.x / kTogether, thread = threadIdx.x % kTogether;
  const int row = 4 * (thread / kAcross), column = 4 * (thread % kAcross);
  const int tile = quarter * kRun * kTileStride<units> + row, n = static_cast<int>(hidden);
  T held[kRows<units> / kRun];
  fetch<T, units, backward>(held, x, 0, rows, hidden);
  for (int k = 0; k < n; k += kDepth) {
    __syncthreads();  // nobody reads the tile before
    put<T, units>(held);
    __syncthreads();
    fetch<T, units, backward>(held, x, k + kDepth, rows, hidden);
    if (row >= rows) continue;
    const int weights = kTile<units> + (quarter * n + k) * kWidth<units, backward> + column;
    add_products<T, units, backward>(sum, tile, weights, n - k < kDepth ? n - k : kDepth);
  }
}

// From the quarters of all threads to the sums of the four rows and the unit that this one
// finishes.
template <class T, int units> __device__ void add_quarters(T (&total)[4], const T (&sum)[4][4]) {
  HEED_SHARED_DYNAMIC(T, shared);
  constexpr int kTogether = kThreads / 4, kAcross = units / 4;
  const int quarter = threadIdx.x / kTogether, thread = threadIdx.x % kTogether;
  const int from = (quarter * kRows<units> + 4 * (thread / kAcross)) * units;
  __syncthreads();  // nobody reads the tile any more
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) shared[from + i * units + 4 * (thread % kAcross) + j] = sum[i][j];
  }
  __syncthreads();
  for (int i = 0; i < 4; ++i) {
    const int at = (4 * (threadIdx.x / units) + i) * units + threadIdx.x % units;
    total[i] = shared[at];
    for (int q = 1; q < 4; ++q) total[i] += shared[q * kRows<units> * units + at];
  }
}

// ---- forward

template <class T> struct Forward {
  T *y, *c, *gates;
  const T *w, *h0, *c0;
  Work work;
};

// Row k of the weights in shared memory: gates i, f, g, o of the first unit, then of the next.
template <class T, int units> __device__ void load_forward(const T* w, const Work& work) {
  HEED_SHARED_DYNAMIC(T, shared);
  const int64_t hidden = work.hidden;
  for (int64_t k = threadIdx.x % kRun; k < hidden; k += kRun) {
    for (int column = threadIdx.x / kRun; column < 4 * units; column += kThreads / kRun) {
      const int64_t unit = work.first_unit<units>() + column / 4;
      shared[kTile<units> + k * kWidth<units, false> + column] =
          unit < hidden ? w[(column % 4 * hidden + unit) * hidden + k] : T(0);
    }
  }
}

template <class T, int units> __device__ void lstm_step(const Forward<T>& p, int64_t t) {
  const Work& work = p.work;
  const int64_t rows = work.rows(t), hidden = work.hidden, unit = work.unit<units>();
  const T* const h = t ? p.y + work.row(t - 1) * hidden : p.h0;
  const T* const c_prev = t ? p.c + work.row(t - 1) * hidden : p.c0;
  for (int64_t tile = work.group() * kRows<units>; tile < rows;
       tile += work.groups * kRows<units>) {
    T sum[4][4] = {};
    if (h) multiply<T, units, false>(sum, h + tile * hidden, rows - tile, hidden);
    for (int i = 0; i < 4; ++i) {
      const int64_t row = tile + work.first_row<units>() + i;
      if (row >= rows || unit >= hidden) continue;
      const int64_t at = (work.row(t) + row) * hidden + unit;
      T* const gate = p.gates + (work.row(t) + row) * 4 * hidden + unit;
      auto a = LstmGates<T>::load(gate, hidden);
      a = {a.i + sum[i][0], a.f + sum[i][1], a.g + sum[i][2], a.o + sum[i][3]};
      lstm_cell(a, c_prev ? c_prev[row * hidden + unit] : T(0), p.c[at], p.y[at]);
      a.store(gate, hidden);
    }
  }
}

template <class T, int units>
__global__ void __launch_bounds__(kThreads, 1)
    lstm_forward_kernel(int64_t begin, int64_t end, Forward<T> p) {
  const int64_t group = p.work.group();
  load_forward<T, units>(p.w, p.work);
  for (int64_t t = begin; t < end && p.work.rows(t) > group * kRows<units>; ++t) {
    if (t > begin) wait_for_blocks(p.work.arrived + group, unsigned(t - begin) * p.work.parts);
    lstm_step<T, units>(p, t);
  }
}

// ---- backward

template <class T> struct Backward {
  T* gates;
  LstmGrads<T> d;
  const T *c, *w, *c0;
  Work work;
  int64_t batch;
};

template <class T, int units> __device__ void load_backward(const T* w, const Work& work) {
  HEED_SHARED_DYNAMIC(T, shared);
  const int64_t hidden = work.hidden, unit = work.unit<units>();
  for (int64_t k = threadIdx.x / units; k < 4 * hidden; k += kThreads / units) {
    shared[kTile<units> + k * kWidth<units, true> + threadIdx.x % units] =
        unit < hidden ? w[k * hidden + unit] : T(0);
  }
}

// dh: of the step behind, if the sequence goes on there.
template <class T>
__device__ void finish_backward(const Backward<T>& p, int64_t t, int64_t row, int64_t unit,
                                bool goes_on, T dh) {
  const Work& work = p.work;
  const int64_t hidden = work.hidden, at = row * hidden + unit;
  const int64_t packed = (work.row(t) + row) * hidden + unit;
  const T* const c_prev = t ? p.c + work.row(t - 1) * hidden : p.c0;
  T* const gate = p.gates + (work.row(t) + row) * 4 * hidden + unit;
  if (!goes_on) dh = p.d.dh_given ? p.d.dh[at] : T(0);
  if (p.d.dy) dh += p.d.dy[packed];
  const T dc = goes_on || p.d.dc_given ? p.d.dc[at] : T(0);
  auto a = LstmGates<T>::load(gate, hidden);
  p.d.dc[at] = lstm_cell_backward(a, p.c[packed], c_prev ? c_prev[at] : T(0), dh, dc);
  a.store(gate, hidden);
}

// Step -1 gives the gradient of the first states.
template <class T, int units> __device__ void lstm_step(const Backward<T>& p, int64_t t) {
  const Work& work = p.work;
  const int64_t hidden = work.hidden, unit = work.unit<units>();
  const int64_t rows = t < 0 ? p.batch : work.rows(t);
  const int64_t going_on = t + 1 < work.steps ? work.rows(t + 1) : 0;
  for (int64_t tile = work.group() * kRows<units>; tile < rows;
       tile += work.groups * kRows<units>) {
    T dh[4] = {};
    if (tile < going_on) {
      T sum[4][4] = {};
      const T* const da = p.gates + (work.row(t + 1) + tile) * 4 * hidden;
      multiply<T, units, true>(sum, da, going_on - tile, hidden);
      add_quarters<T, units>(dh, sum);
    }
    for (int i = 0; i < 4; ++i) {
      const int64_t row = tile + work.first_row<units>() + i;
      if (row >= rows || unit >= hidden) continue;
      if (t < 0) {
        p.d.dh[row * hidden + unit] = dh[i];
      } else {
        finish_backward(p, t, row, unit, row < going_on, dh[i]);
      }
    }
  }
}

template <class T, int units>
__global__ void __launch_bounds__(kThreads, 1)
    lstm_backward_kernel(int64_t begin, int64_t end, Backward<T> p) {
  const Work& work = p.work;
  const int64_t group = work.group();
  load_backward<T, units>(p.w, work);
  unsigned done = 0;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t t = work.steps - 1 - i;
    if (t >= 0 && work.rows(t) <= group * kRows<units>) continue;  // not yet
    if (done) wait_for_blocks(work.arrived + group, done * work.parts);
    lstm_step<T, units>(p, t);
    ++done;
  }
}

// ---- on the host

struct Plan {
  int units, parts, groups;
  int64_t shared_bytes;
};

template <class T, int units> Plan plan_with(int64_t batch, int64_t hidden, int64_t blocks) {
  const int64_t parts = (hidden + units - 1) / units,
                tiles = (batch + kRows<units> - 1) / kRows<units>;
  return {units, static_cast<int>(parts),
          static_cast<int>(std::min(tiles, std::max<int64_t>(1, blocks / parts))),
          static_cast<int64_t>(sizeof(T)) * (kTile<units> + hidden * kWidth<units, false>)};
}

// As many units a block as shared memory holds the weights of, one block a multiprocessor.
template <class T> std::optional<Plan> plan(int64_t batch, int64_t hidden) {
  const cuda::Limits limits = cuda::limits();
  const int64_t blocks = limits.multiprocessors;
  if (!limits.cooperative || hidden > 32 * blocks) return {};
  for (const Plan& plan :
       {plan_with<T, 32>(batch, hidden, blocks), plan_with<T, 16>(batch, hidden, blocks),
        plan_with<T, 8>(batch, hidden, blocks)}) {
    if (plan.parts <= blocks && plan.shared_bytes <= limits.shared_bytes) return plan;
  }
  return {};
}

template <class T> Work work_of(const Plan& plan, const RecurrentLayer<T>& layer) {
  unsigned* const arrived = cuda::scratch<unsigned>(plan.groups);
  cuda::zero(arrived, plan.groups * static_cast<int64_t>(sizeof(unsigned)));
  return {layer.offsets_on_device, arrived, layer.steps, layer.hidden, plan.parts, plan.groups};
}

bool persistent() {
  const char* const given = std::getenv("HEED_PERSISTENT");
  const std::string value = given ? given : "";
  if (!value.empty() && value != "0" && value != "1") {
    throw UsageError("HEED_PERSISTENT is '" + value + "', expected 0 or 1");
  }
  return value == "1";
}

}  // namespace

template <class T> bool persistent_lstm_fits(int64_t batch, int64_t hidden) {
  return persistent() && batch > 0 && plan<T>(batch, hidden).has_value();
}

template <class T>
void persistent_lstm_forward(T* y, T* c, T* gates, const RecurrentLayer<T>& layer) {
  const Plan on = plan<T>(layer.batch(), layer.hidden).value();
  const cuda::Grid grid{int64_t{on.parts} * on.groups, kThreads, on.shared_bytes};
  const Forward<T> p{y, c, gates, layer.w, layer.h0, layer.c0, work_of(on, layer)};
  if (on.units == 32) launch_steps<lstm_forward_kernel<T, 32>>(grid, layer.steps, p);
  if (on.units == 16) launch_steps<lstm_forward_kernel<T, 16>>(grid, layer.steps, p);
  if (on.units == 8) launch_steps<lstm_forward_kernel<T, 8>>(grid, layer.steps, p);
}

template <class T>
void persistent_lstm_backward(T* gates, const LstmGrads<T>& d, const T* c,
                              const RecurrentLayer<T>& layer) {
  const Plan on = plan<T>(layer.batch(), layer.hidden).value();
  const cuda::Grid grid{int64_t{on.parts} * on.groups, kThreads, on.shared_bytes};
  const Backward<T> p{gates, d, c, layer.w, layer.c0, work_of(on, layer), layer.batch()};
  const int64_t all = layer.steps + (d.dh_wanted ? 1 : 0);
  if (on.units == 32) launch_steps<lstm_backward_kernel<T, 32>>(grid, all, p);
  if (on.units == 16) launch_steps<lstm_backward_kernel<T, 16>>(grid, all, p);
  if (on.units == 8) launch_steps<lstm_backward_kernel<T, 8>>(grid, all, p);
}

HEED_INSTANTIATE(persistent_lstm_fits, persistent_lstm_forward, persistent_lstm_backward);

}  // namespace heed::gpu
