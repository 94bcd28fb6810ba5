// How a matrix product brings its factors into the order in which the tiles of C read them: A into
// tiles of up to kTileRows rows, B into panels of kWidth columns. Only gemm.cc looks in here, and
// its test for the sizes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "tensor/kernels/gemm.h"
#include "tensor/parallel.h"

namespace heed::cpu {

// Two vectors of accumulators a row: 12 rows fill 24 of AVX-512's 32 registers, 6 rows 12 of 16.
#if defined(__AVX512F__)
constexpr int kVectorBytes = 64, kTileRows = 12;
#elif defined(__AVX__)
constexpr int kVectorBytes = 32, kTileRows = 6;
#else
constexpr int kVectorBytes = 16, kTileRows = 6;
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

// A tile of A (rows, depth) as it is read: row after row, at a distance that is no power of two
// (the rows would share few sets of the L1 cache), or, where A is transposed, column after column.
template <class T> constexpr int64_t kRowStep = kDepth + 64 / sizeof(T);
template <class T> constexpr int64_t kTileSize = kTileRows* kRowStep<T>;

// Rows of C are shared out evenly among the tiles: 16 are 8 + 8, not 12 + 4.
inline int64_t tile_count(int64_t m) {
  return (m + kTileRows - 1) / kTileRows;
}
inline int64_t tile_begin(int64_t m, int64_t t) {
  return m * t / tile_count(m);
}

// n elements, mostly kUsual: a number that the compiler knows is some vector moves, not a call.
template <int64_t kUsual, class T> void copy(T* to, const T* from, int64_t n) {
  if (n == kUsual) {
    std::memcpy(to, from, kUsual * sizeof(T));
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i];
  }
}

// Rows [begin, end) of A (m, depth) to their places in `tiles`, which begin with tile `first`.
template <class T>
void copy_rows(T* tiles, View<T> a, int64_t m, int64_t first, int64_t begin, int64_t end,
               int64_t depth) {
  int64_t t = begin * tile_count(m) / m;
  for (int64_t i = begin; i < end; ++i) {
    while (tile_begin(m, t + 1) <= i) ++t;
    T* tile = tiles + (t - first) * kTileSize<T>;
    std::copy_n(a.at + i * a.row_step, depth, tile + (i - tile_begin(m, t)) * kRowStep<T>);
  }
}

// Tiles [first, last) of A (m, depth) to `tiles`, kTileSize apart.
template <class T>
void copy_tiles(T* tiles, View<T> a, int64_t m, int64_t first, int64_t last, int64_t depth) {
  int64_t begin[kGroup + 1] = {};
  for (int64_t t = first; t <= last; ++t) begin[t - first] = tile_begin(m, t);
  if (a.col_step == 1) {
    return copy_rows(tiles, a, m, first, begin[0], begin[last - first], depth);
  }
  for (int64_t k = 0; k < depth; ++k) {  // all tiles at once, so that whole cache lines are used
    for (int64_t t = 0; t < last - first; ++t) {
      const int64_t height = begin[t + 1] - begin[t];
      copy<kTileRows>(tiles + t * kTileSize<T> + k * height, a.at + begin[t] + k * a.col_step,
                      height);
    }
  }
}

template <class T> void copy_all_tiles(T* tiles, View<T> a, int64_t m, int64_t depth) {
  if (a.col_step == 1) {
    parallel_ranges(m, kCopied / depth + 1, [=](int64_t begin, int64_t end) {
      copy_rows(tiles, a, m, 0, begin, end, depth);
    });
    return;
  }
  parallel_ranges(tile_count(m), kGroup, [=](int64_t first, int64_t last) {
    copy_tiles(tiles + first * kTileSize<T>, a, m, first, last, depth);
  });
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

// One panel of a transposed B: its `width` columns lie in memory as rows of `depth`, ld apart.
template <class T>
void pack_transposed(T* panel, const T* from, int64_t ld, int64_t depth, int64_t width) {
  constexpr int64_t kWidth = Simd<T>::kWidth, kLanes = Simd<T>::kLanes;
  const int64_t squares = depth / kLanes * kLanes;
  for (int64_t i = 0; i < width; i += kLanes) {
    const int64_t cols = std::min(kLanes, width - i), whole = cols == kLanes ? squares : 0;
    for (int64_t k = 0; k < whole; k += kLanes) {
      transpose_square(panel + k * kWidth + i, kWidth, from + i * ld + k, ld);
    }
    for (int64_t k = whole; k < depth; ++k) {
      for (int64_t l = i; l < i + cols; ++l) panel[k * kWidth + l] = from[k + l * ld];
    }
  }
}

// B (depth, n) to panels: [panel][k][column], the last one filled up with zeros.
template <class T> void pack(T* panels, View<T> b, int64_t depth, int64_t n) {
  constexpr int64_t kWidth = Simd<T>::kWidth;
  for (int64_t j = 0; j < n; j += kWidth, panels += depth * kWidth) {
    const int64_t width = std::min(kWidth, n - j);
    const View<T> from = b.from(0, j);
    if (width < kWidth) std::fill_n(panels, depth * kWidth, T(0));
    if (b.col_step != 1) {
      pack_transposed(panels, from.at, b.col_step, depth, width);
      continue;
    }
    for (int64_t k = 0; k < depth; ++k) {
      copy<kWidth>(panels + k * kWidth, from.at + k * from.row_step, width);
    }
  }
}

template <class T> void pack_all(T* panels, View<T> b, int64_t depth, int64_t n) {
  constexpr int64_t kWidth = Simd<T>::kWidth;
  const int64_t wide = std::clamp<int64_t>(n / kWidth / kPieces, 1, kPanels);
  parallel_ranges(n, wide * kWidth, [=](int64_t begin, int64_t end) {
    pack(panels + begin * depth, b.from(0, begin), depth, end - begin);
  });
}

}  // namespace heed::cpu
