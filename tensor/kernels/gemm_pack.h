// How a matrix product copies its factors into the order in which the tiles of C read them: A into
// tiles of up to kTileRows rows, B into panels of kWidth columns. For gemm.cc, the formats that it
// multiplies in, and its test.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/huge_pages.h"
#include "base/machine.h"
#include "tensor/kernels/gemm.h"
#include "tensor/parallel.h"

// A program that includes this compiles it for another CPU level than the kernels' own. Hidden
// symbols keep the two apart.
#pragma GCC visibility push(hidden)
namespace heed::cpu {

// Two vectors of accumulators a row: 12 rows fill 24 of AVX-512's 32 registers, 6 rows 12 of 16.
#if defined(__AVX512F__)
constexpr int kVectorBytes = 64, kVectorRows = 12;
#elif defined(__AVX__)
constexpr int kVectorBytes = 32, kVectorRows = 6;
#else
constexpr int kVectorBytes = 16, kVectorRows = 6;
#endif
constexpr int64_t kSpan = 2048;    // rows of A and columns of B in one block: 4 MiB each
constexpr int64_t kDepth = 512;    // of k in one block
constexpr int64_t kPanels = 8;     // of B for one piece of C: 512 KiB with AVX-512
constexpr int64_t kGroup = 8;      // tiles of A that are copied together
constexpr int64_t kPieces = 16;    // of C that there should be at least, to share out
constexpr int64_t kCopied = 4096;  // elements of A that are worth a piece when they are copied

template <class T> struct Simd {
  typedef T Vector __attribute__((vector_size(kVectorBytes)));
  typedef T Unaligned __attribute__((vector_size(kVectorBytes), aligned(sizeof(T)), may_alias));
  static constexpr int kLanes = kVectorBytes / sizeof(T);
  static constexpr int64_t kWidth = int64_t{2} * kLanes;  // columns of a panel
};

// An operand without a fixed orientation: element (i, j) is at[i * row_step + j * col_step].
template <class T> struct View {
  const T* at;
  int64_t row_step, col_step;

  explicit View(Mat<const T> x)
      : at(x.at), row_step(x.transposed ? 1 : x.ld), col_step(x.transposed ? x.ld : 1) {}
  View from(int64_t i, int64_t j) const {
    View view = *this;
    view.at += i * row_step + j * col_step;
    return view;
  }
};

// This thread's memory for the blocks of products, uninitialised. Throws DeviceError if there is no
// memory.
template <class S> S& scratch() {
  static thread_local std::unique_ptr<void, void (*)(void*)> memory(nullptr, std::free);
  if (!memory) memory.reset(allocate_aligned(sizeof(S)));
  if (!memory) {
    throw DeviceError(text("out of memory: asked for ", size_text(sizeof(S)), " of ",
                           size_text(usable_memory()), " for the blocks of a product"));
  }
  return *static_cast<S*>(memory.get());
}

// A format F says what the factors are copied to, and which tile multiplies the copies: Full below,
// Bf16 in gemm_bf16.h.
//   Number             of C and of the factors in memory: float or double
//   Packed             of the copies
//   kTileRows, kWidth  rows and columns of C that a tile computes
//   length(k)          Packed elements for k numbers of a row of A or a column of B
//   kBlock             length(a + b) is length(a) + length(b) for multiples a of this
//   kRowStep           Packed elements from row to row of a tile of A
//   copy_row, copy_columns, pack_rows, pack_columns    the copies
//   Runner             runs tiles of C

// Rows of C are shared out evenly among the tiles: 16 are 8 + 8, not 12 + 4.
template <class F> int64_t tile_count(int64_t m) {
  return (m + F::kTileRows - 1) / F::kTileRows;
}
template <class F> int64_t tile_begin(int64_t m, int64_t t) {
  return m * t / tile_count<F>(m);
}
template <class F> constexpr int64_t kTileSize = F::kTileRows* F::kRowStep;

// Rows [begin, end) of A (m, depth) to their places in `tiles`, which begin with tile `first`.
template <class F>
void copy_rows(typename F::Packed* tiles, View<typename F::Number> a, int64_t m, int64_t first,
               int64_t begin, int64_t end, int64_t depth) {
  int64_t t = begin * tile_count<F>(m) / m;
  for (int64_t i = begin; i < end; ++i) {
    while (tile_begin<F>(m, t + 1) <= i) ++t;
    typename F::Packed* tile = tiles + (t - first) * kTileSize<F>;
    F::copy_row(tile + (i - tile_begin<F>(m, t)) * F::kRowStep, a.at + i * a.row_step, depth);
  }
}

// Tiles [first, last) of A (m, depth) to `tiles`, kTileSize apart.
template <class F>
void copy_tiles(typename F::Packed* tiles, View<typename F::Number> a, int64_t m, int64_t first,
                int64_t last, int64_t depth) {
  int64_t begin[kGroup + 1] = {};
  for (int64_t t = first; t <= last; ++t) begin[t - first] = tile_begin<F>(m, t);
  if (a.col_step == 1) {
    return copy_rows<F>(tiles, a, m, first, begin[0], begin[last - first], depth);
  }
  F::copy_columns(tiles, a, begin, last - first, depth);
}

template <class F>
void copy_all_tiles(typename F::Packed* tiles, View<typename F::Number> a, int64_t m,
                    int64_t depth) {
  if (a.col_step == 1) {
    parallel_ranges(m, kCopied / depth + 1, [=](int64_t begin, int64_t end) {
      copy_rows<F>(tiles, a, m, 0, begin, end, depth);
    });
    return;
  }
  parallel_ranges(tile_count<F>(m), kGroup, [=](int64_t first, int64_t last) {
    copy_tiles<F>(tiles + first * kTileSize<F>, a, m, first, last, depth);
  });
}

// B (depth, n) to panels: [panel][k][column], the last one filled up with zeros.
template <class F>
void pack(typename F::Packed* panels, View<typename F::Number> b, int64_t depth, int64_t n) {
  constexpr int64_t kWidth = F::kWidth;
  const int64_t size = F::length(depth) * kWidth;
  for (int64_t j = 0; j < n; j += kWidth, panels += size) {
    const int64_t width = std::min(kWidth, n - j);
    const auto* from = b.from(0, j).at;
    if (width < kWidth) std::fill_n(panels, size, typename F::Packed(0));
    if (b.col_step == 1) {
      F::pack_rows(panels, from, b.row_step, depth, width);
    } else {
      F::pack_columns(panels, from, b.col_step, depth, width);
    }
  }
}

template <class F>
void pack_all(typename F::Packed* panels, View<typename F::Number> b, int64_t depth, int64_t n) {
  constexpr int64_t kWidth = F::kWidth;
  const int64_t wide = std::clamp<int64_t>(n / kWidth / kPieces, 1, kPanels);
  parallel_ranges(n, wide * kWidth, [=](int64_t begin, int64_t end) {
    pack<F>(panels + begin * F::length(depth), b.from(0, begin), depth, end - begin);
  });
}

// make.operator()<R>() for R = 1 ... kCount: the tiles of so many rows.
template <int kCount, class Make> constexpr auto table_of(Make make) {
  return [make]<int... R>(std::integer_sequence<int, R...>) {
    return std::array{make.template operator()<R + 1>()...};
  }
  (std::make_integer_sequence<int, kCount>());
}

// Elements of a and b in turn, from their first (0) or second halves (1).
template <int kHalf, class V, int... I> V interleave(V a, V b, std::integer_sequence<int, I...>) {
  constexpr int kLanes = sizeof...(I);
  return __builtin_shufflevector(a, b, (kHalf * kLanes / 2 + I / 2 + I % 2 * kLanes)...);
}

// Writes a square of kLanes x kLanes elements, transposed. Each of log2(kLanes) rounds interleaves
// row i with row i + kLanes / 2. With 4 lanes:
//
//   a0 a1 a2 a3    rows 1, 3:  a0 c0 a1 c1    rows 1, 3:  a0 b0 c0 d0
//   b0 b1 b2 b3                a2 c2 a3 c3                a1 b1 c1 d1
//   c0 c1 c2 c3    rows 2, 4:  b0 d0 b1 d1    rows 2, 4:  a2 b2 c2 d2
//   d0 d1 d2 d3                b2 d2 b3 d3                a3 b3 c3 d3
//
// Number the elements by row and column in binary, row bits before column bits: a round moves the
// first bit to the end, and after all of them rows and columns have changed places.
template <class T> void transpose_square(T* to, int64_t to_ld, const T* from, int64_t ld) {
  using V = typename Simd<T>::Vector;
  using U = typename Simd<T>::Unaligned;
  constexpr int kLanes = Simd<T>::kLanes;
  constexpr auto kIndex = std::make_integer_sequence<int, kLanes>();
  V x[kLanes], y[kLanes];
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i) x[i] = *reinterpret_cast<const U*>(from + i * ld);
#pragma GCC unroll 4
  for (int round = 1; round < kLanes; round *= 2) {
#pragma GCC unroll 8
    for (int i = 0; i < kLanes / 2; ++i) {
      y[2 * i] = interleave<0>(x[i], x[i + kLanes / 2], kIndex);
      y[2 * i + 1] = interleave<1>(x[i], x[i + kLanes / 2], kIndex);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) x[i] = y[i];
  }
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i) *reinterpret_cast<U*>(to + i * to_ld) = x[i];
}

}  // namespace heed::cpu
#pragma GCC visibility pop
