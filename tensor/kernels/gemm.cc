// Matrix products in the manner of BLIS (Van Zee & van de Geijn 2015): A and B are copied, block by
// block, into the order in which they are read; a tile of C stays in registers while k runs.
//
//   gemm        kDepth of k at a time: A's block to tiles, B's block to panels   L3
//   multiply      threads take pieces of C: some tiles x up to kPanels panels    L2
//   tile            kTileRows x 2 vectors of C                                   registers
#include "tensor/kernels/gemm.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <utility>

#include "tensor/error.h"
#include "tensor/huge_pages.h"
#include "tensor/kernels/gemm_pack.h"
#include "tensor/machine.h"
#include "tensor/parallel.h"

namespace heed::cpu {
namespace {

constexpr int64_t kPieceTiles = 21;  // of A for one piece
constexpr int64_t kManyTiles = 32;   // of A: pieces enough without sharing out columns

// C (R, kWidth) = or += A (R, depth) panel (depth, kWidth)
template <class T, int R, bool kTransposed>
void tile(T* c, int64_t ldc, const T* a, const T* panel, int64_t depth, Write write) {
  using V = typename Simd<T>::Vector;
  using U = typename Simd<T>::Unaligned;
  constexpr int kLanes = Simd<T>::kLanes;
  constexpr int64_t kRow = kTransposed ? 1 : kRowStep<T>;
  constexpr int64_t kCol = kTransposed ? R : 1;
  V sum[R][2] = {};
  if (write == Write::add) {
#pragma GCC unroll 12
    for (int i = 0; i < R; ++i) {
      sum[i][0] = *reinterpret_cast<const U*>(c + i * ldc);
      sum[i][1] = *reinterpret_cast<const U*>(c + i * ldc + kLanes);
    }
  }
  for (int64_t k = 0; k < depth; ++k, panel += 2 * kLanes, a += kCol) {
    const V b0 = *reinterpret_cast<const U*>(panel),
            b1 = *reinterpret_cast<const U*>(panel + kLanes);
#pragma GCC unroll 12
    for (int i = 0; i < R; ++i) {
      const T x = a[i * kRow];
      sum[i][0] += x * b0;
      sum[i][1] += x * b1;
    }
  }
#pragma GCC unroll 12
  for (int i = 0; i < R; ++i) {
    *reinterpret_cast<U*>(c + i * ldc) = sum[i][0];
    *reinterpret_cast<U*>(c + i * ldc + kLanes) = sum[i][1];
  }
}

template <class T> using Tile = void (*)(T*, int64_t, const T*, const T*, int64_t, Write);
template <class T, bool kTransposed, int... R>
constexpr std::array<Tile<T>, sizeof...(R)> make_tiles(std::integer_sequence<int, R...>) {
  return {tile<T, R + 1, kTransposed>...};
}
// kTiles[r - 1] is the tile of r rows.
template <class T, bool kTransposed>
constexpr auto kTiles = make_tiles<T, kTransposed>(std::make_integer_sequence<int, kTileRows>());

// The last columns of C do not fill a panel: compute on the side, and copy what is there.
template <class T>
void edge_tile(Tile<T> run, T* c, int64_t ldc, const T* a, const T* panel, int64_t depth,
               Write write, int64_t rows, int64_t cols) {
  constexpr int64_t kWidth = Simd<T>::kWidth;
  T side[kTileRows * kWidth] = {};
  for (int64_t i = 0; i < rows && write == Write::add; ++i) {
    std::copy_n(c + i * ldc, cols, side + i * kWidth);
  }
  run(side, kWidth, a, panel, depth, write);
  for (int64_t i = 0; i < rows; ++i) std::copy_n(side + i * kWidth, cols, c + i * ldc);
}

// What the blocks of A and B are copied to. Pages that no product needs are never touched.
template <class T> struct Scratch {
  alignas(64) T tiles[(kSpan / kTileRows + 1) * kTileSize<T>];
  alignas(64) T panels[kSpan * kDepth];

  static Scratch& mine() {
    static thread_local std::unique_ptr<void, void (*)(void*)> memory(nullptr, std::free);
    if (!memory) memory.reset(allocate_aligned(sizeof(Scratch)));
    if (!memory) {
      throw DeviceError(text("out of memory: asked for ", size_text(sizeof(Scratch)), " of ",
                             size_text(usable_memory()), " for the blocks of a product"));
    }
    return *static_cast<Scratch*>(memory.get());
  }
};

// The next tile of C comes from memory while this one is computed.
template <class T> void ask_for(const T* c, int64_t ldc, int64_t rows) {
  for (int64_t i = 0; i < rows; ++i) {
    __builtin_prefetch(c + i * ldc, /*for writing*/ 1);
    __builtin_prefetch(c + i * ldc + Simd<T>::kLanes, 1);
  }
}

// Factors as they were copied, and where their product goes: C (m, n).
template <class T> struct Product {
  T* c;
  int64_t ldc;
  const T *tiles, *panels;
  bool transposed;  // A
  int64_t stride;   // from panel to panel
  int64_t m, n, depth;
  Write write;

  // Tiles [t0, t1) of A, which begin at `from`, and panels [p0, p1).
  void piece(const T* from, int64_t t0, int64_t t1, int64_t p0, int64_t p1) const {
    constexpr int64_t kWidth = Simd<T>::kWidth;
    const auto& runs = transposed ? kTiles<T, true> : kTiles<T, false>;
    for (int64_t t = t0; t < t1; ++t) {
      const int64_t i = tile_begin(m, t), rows = tile_begin(m, t + 1) - i;
      const Tile<T> run = runs[rows - 1];
      for (int64_t p = p0; p < p1; ++p) {
        T* to = c + i * ldc + p * kWidth;
        const T *a = from + (t - t0) * kTileSize<T>, *b = panels + p * stride;
        if (p + 1 < p1) ask_for(to + kWidth, ldc, rows);
        if (n - p * kWidth >= kWidth) {
          run(to, ldc, a, b, depth, write);
        } else {
          edge_tile(run, to, ldc, a, b, depth, write, rows, n - p * kWidth);
        }
      }
    }
  }
};

// Pieces are the same for any number of threads; small products have small ones. Threads begin with
// rows of C or with columns, so that what each reads alone is the larger one of A and B.
template <class T> void multiply(const Product<T>& x) {
  constexpr int64_t kWidth = Simd<T>::kWidth;
  const int64_t count = tile_count(x.m), panels = (x.n + kWidth - 1) / kWidth;
  const int64_t down = (count + kPieceTiles - 1) / kPieceTiles;
  const int64_t wide = std::clamp<int64_t>(panels * down / kPieces, 1, kPanels);
  const int64_t across = (panels + wide - 1) / wide;
  const bool by_rows = x.m > x.n;
  parallel_for(across * down, [&x, count, panels, down, across, wide, by_rows](int64_t piece) {
    const int64_t i = by_rows ? piece / across : piece % down;
    const int64_t p = (by_rows ? piece % across : piece / down) * wide;
    const int64_t t = count * i / down;
    x.piece(x.tiles + t * kTileSize<T>, t, count * (i + 1) / down, p, std::min(panels, p + wide));
  });
}

// The same where C is narrow: every tile of A meets all panels right after it was copied, into the
// thread's own scratch; x.tiles is not read.
template <class T> void multiply_narrow(const Product<T>& x, View<T> a) {
  parallel_ranges(tile_count(x.m), kGroup, [=, &x](int64_t first, int64_t last) {
    T* tiles = Scratch<T>::mine().tiles;
    copy_tiles(tiles, a, x.m, first, last, x.depth);
    x.piece(tiles, first, last, 0, (x.n + Simd<T>::kWidth - 1) / Simd<T>::kWidth);
  });
}

template <class T> void clear(Mat<T> c) {
  for (int64_t i = 0; i < c.rows; ++i) std::fill_n(c.at + i * c.ld, c.cols, T(0));
}

// k in even parts of at most kDepth: body(begin, depth).
template <class Body> void for_each_depth(int64_t k, Body body) {
  constexpr int64_t kSquare = 16;  // see transpose_square
  const int64_t parts = std::max<int64_t>((k + kDepth - 1) / kDepth, 1);
  const int64_t even = (k + parts - 1) / parts, depth = (even + kSquare - 1) / kSquare * kSquare;
  for (int64_t k0 = 0; k0 < k; k0 += depth) body(k0, std::min(depth, k - k0));
}

}  // namespace

template <class T> void gemm(Mat<T> c, Mat<const T> a, Mat<const T> b, Write write) {
  const View<T> left(a), right(b);
  Scratch<T>& scratch = Scratch<T>::mine();
  if (a.cols == 0 && write == Write::assign) clear(c);
  for (int64_t j = 0; j < c.cols; j += kSpan) {
    const int64_t cols = std::min(kSpan, c.cols - j);
    for_each_depth(a.cols, [&](int64_t k0, int64_t depth) {
      pack_all(scratch.panels, right.from(k0, j), depth, cols);
      for (int64_t i = 0; i < c.rows; i += kSpan) {
        const int64_t rows = std::min(kSpan, c.rows - i);
        const Product<T> x{.c = c.at + i * c.ld + j,
                           .ldc = c.ld,
                           .tiles = scratch.tiles,
                           .panels = scratch.panels,
                           .transposed = a.transposed,
                           .stride = depth * Simd<T>::kWidth,
                           .m = rows,
                           .n = cols,
                           .depth = depth,
                           .write = k0 > 0 ? Write::add : write};
        if (cols <= kPanels * Simd<T>::kWidth && tile_count(rows) >= kManyTiles) {
          multiply_narrow(x, left.from(i, k0));
        } else {
          copy_all_tiles(scratch.tiles, left.from(i, k0), rows, depth);
          multiply(x);
        }
      }
    });
  }
}

template <class T>
void gemm_batched(Mat<T> c, Mat<const T> a, Mat<const T> b, int64_t batch, Write write) {
  const auto entry = [](auto mat, int64_t i) {
    mat.at += i * mat.stride;
    return mat;
  };
  parallel_for(batch, [=](int64_t i) { gemm(entry(c, i), entry(a, i), entry(b, i), write); });
}

template <class T> void packed_size(int64_t* elements, int64_t k, int64_t n) {
  constexpr int64_t kWidth = Simd<T>::kWidth;
  *elements = (n + kWidth - 1) / kWidth * kWidth * k;
}

template <class T> void pack_matrix(T* packed, Mat<const T> b) {
  pack_all(packed, View<T>(b), b.rows, b.cols);
}

template <class T> void gemm_packed(Mat<T> c, Mat<const T> a, const T* packed, Write write) {
  constexpr int64_t kWidth = Simd<T>::kWidth;
  const int64_t k = a.cols;
  T* tiles = Scratch<T>::mine().tiles;
  if (k == 0 && write == Write::assign) clear(c);
  for (int64_t i = 0; i < c.rows; i += kSpan) {
    const int64_t rows = std::min(kSpan, c.rows - i);
    for_each_depth(k, [&](int64_t k0, int64_t depth) {
      copy_all_tiles(tiles, View<T>(a).from(i, k0), rows, depth);
      multiply<T>({.c = c.at + i * c.ld,
                   .ldc = c.ld,
                   .tiles = tiles,
                   .panels = packed + k0 * kWidth,
                   .transposed = false,
                   .stride = k * kWidth,
                   .m = rows,
                   .n = c.cols,
                   .depth = depth,
                   .write = k0 > 0 ? Write::add : write});
    });
  }
}

HEED_INSTANTIATE(gemm);
HEED_INSTANTIATE(gemm_batched);
HEED_INSTANTIATE(packed_size);
HEED_INSTANTIATE(pack_matrix);
HEED_INSTANTIATE(gemm_packed);

}  // namespace heed::cpu
