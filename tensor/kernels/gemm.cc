// Matrix products in the manner of BLIS (Van Zee & van de Geijn 2015): A and B are copied, block by
// block, into the order in which they are read; a tile of C stays in registers while k runs.
//
//   gemm        kDepth of k at a time: A's block to tiles, B's block to panels   L3
//   multiply      threads take pieces of C: some tiles x up to kPanels panels    L2
//   tile            kTileRows x 2 vectors of C                                   registers
#include "tensor/kernels/gemm.h"

#include <algorithm>
#include <type_traits>

#include "tensor/kernels/gemm_bf16_tiles.h"
#include "tensor/kernels/gemm_full.h"
#include "tensor/kernels/matmul.h"
#include "tensor/parallel.h"

#ifdef HEED_GEMM_EIGEN
#include "tensor/kernels/gemm_eigen.h"
#endif

namespace heed::cpu {
namespace {

constexpr int64_t kPieceTiles = 21;  // of A for one piece
constexpr int64_t kManyTiles = 32;   // of A: pieces enough without sharing out columns

// The last columns of C do not fill a panel: compute on the side, and copy what is there.
template <class F>
void edge_tile(typename F::Runner& run, typename F::Number* c, int64_t ldc,
               const typename F::Packed* a, const typename F::Packed* panel, int64_t length,
               Write write, int64_t rows, int64_t cols) {
  constexpr int64_t kWidth = F::kWidth;
  typename F::Number side[F::kTileRows * kWidth] = {};
  for (int64_t i = 0; i < rows && write == Write::add; ++i) {
    std::copy_n(c + i * ldc, cols, side + i * kWidth);
  }
  run(rows, side, kWidth, a, panel, length, write);
  for (int64_t i = 0; i < rows; ++i) std::copy_n(side + i * kWidth, cols, c + i * ldc);
}

// What the blocks of A and B are copied to. Pages that no product needs are never touched.
template <class F> struct Copies {
  alignas(64) typename F::Packed tiles[(kSpan / F::kTileRows + 1) * kTileSize<F>];
  alignas(64) typename F::Packed panels[kSpan * F::length(F::kDepth)];
};

// The next tile of C comes from memory while this one is computed.
template <class T> void ask_for(const T* c, int64_t ldc, int64_t rows) {
  for (int64_t i = 0; i < rows; ++i) {
    __builtin_prefetch(c + i * ldc, /*for writing*/ 1);
    __builtin_prefetch(c + i * ldc + Simd<T>::kLanes, 1);
  }
}

// Factors as they were copied, and where their product goes: C (m, n).
template <class F> struct Product {
  typename F::Number* c;
  int64_t ldc;
  const typename F::Packed *tiles, *panels;
  bool transposed;  // A
  int64_t stride;   // from panel to panel
  int64_t m, n, depth;
  Write write;

  // Tiles [t0, t1) of A, which begin at `from`, and panels [p0, p1).
  void piece(const typename F::Packed* from, int64_t t0, int64_t t1, int64_t p0, int64_t p1) const {
    constexpr int64_t kWidth = F::kWidth;
    const int64_t length = F::length(depth);
    typename F::Runner run(transposed);
    for (int64_t t = t0; t < t1; ++t) {
      const int64_t i = tile_begin<F>(m, t), rows = tile_begin<F>(m, t + 1) - i;
      for (int64_t p = p0; p < p1; ++p) {
        auto* to = c + i * ldc + p * kWidth;
        const auto *a = from + (t - t0) * kTileSize<F>, *b = panels + p * stride;
        if (p + 1 < p1) ask_for(to + kWidth, ldc, rows);
        if (n - p * kWidth >= kWidth) {
          run(rows, to, ldc, a, b, length, write);
        } else {
          edge_tile<F>(run, to, ldc, a, b, length, write, rows, n - p * kWidth);
        }
      }
    }
  }
};

// Pieces are the same for any number of threads; small products have small ones. Threads begin with
// rows of C or with columns, so that what each reads alone is the larger one of A and B.
template <class F> void multiply(const Product<F>& x) {
  constexpr int64_t kWidth = F::kWidth;
  const int64_t count = tile_count<F>(x.m), panels = (x.n + kWidth - 1) / kWidth;
  const int64_t down = (count + kPieceTiles - 1) / kPieceTiles;
  const int64_t wide = std::clamp<int64_t>(panels * down / kPieces, 1, kPanels);
  const int64_t across = (panels + wide - 1) / wide;
  const bool by_rows = x.m > x.n;
  parallel_for(across * down, [&x, count, panels, down, across, wide, by_rows](int64_t piece) {
    const int64_t i = by_rows ? piece / across : piece % down;
    const int64_t p = (by_rows ? piece % across : piece / down) * wide;
    const int64_t t = count * i / down;
    x.piece(x.tiles + t * kTileSize<F>, t, count * (i + 1) / down, p, std::min(panels, p + wide));
  });
}

// The same where C is narrow: every tile of A meets all panels right after it was copied, into the
// thread's own scratch; x.tiles is not read.
template <class F> void multiply_narrow(const Product<F>& x, View<typename F::Number> a) {
  parallel_ranges(tile_count<F>(x.m), kGroup, [=, &x](int64_t first, int64_t last) {
    auto* tiles = scratch<Copies<F>>().tiles;
    copy_tiles<F>(tiles, a, x.m, first, last, x.depth);
    x.piece(tiles, first, last, 0, (x.n + F::kWidth - 1) / F::kWidth);
  });
}

template <class T> void clear(Mat<T> c) {
  for (int64_t i = 0; i < c.rows; ++i) std::fill_n(c.at + i * c.ld, c.cols, T(0));
}

// k in even parts of at most F::kDepth: body(begin, depth).
template <class F, class Body> void for_each_depth(int64_t k, Body body) {
  const int64_t parts = std::max<int64_t>((k + F::kDepth - 1) / F::kDepth, 1);
  const int64_t even = (k + parts - 1) / parts;
  const int64_t depth = (even + F::kBlock - 1) / F::kBlock * F::kBlock;
  for (int64_t k0 = 0; k0 < k; k0 += depth) body(k0, std::min(depth, k - k0));
}

// The products of gemm.h, in blocks of one format. `packed` is memory of T for what F packs.
template <class F> struct Blocks {
  using T = typename F::Number;
  using Packed = typename F::Packed;
  static_assert(sizeof(T) == sizeof(Packed));

  static void gemm(Mat<T> c, Mat<const T> a, Mat<const T> b, Write write) {
    const View<T> left(a), right(b);
    Copies<F>& copies = scratch<Copies<F>>();
    if (a.cols == 0 && write == Write::assign) clear(c);
    for (int64_t j = 0; j < c.cols; j += kSpan) {
      const int64_t cols = std::min(kSpan, c.cols - j);
      for_each_depth<F>(a.cols, [&](int64_t k0, int64_t depth) {
        pack_all<F>(copies.panels, right.from(k0, j), depth, cols);
        for (int64_t i = 0; i < c.rows; i += kSpan) {
          const int64_t rows = std::min(kSpan, c.rows - i);
          const Product<F> x{.c = c.at + i * c.ld + j,
                             .ldc = c.ld,
                             .tiles = copies.tiles,
                             .panels = copies.panels,
                             .transposed = a.transposed,
                             .stride = F::length(depth) * F::kWidth,
                             .m = rows,
                             .n = cols,
                             .depth = depth,
                             .write = k0 > 0 ? Write::add : write};
          if (cols <= kPanels * F::kWidth && tile_count<F>(rows) >= kManyTiles) {
            multiply_narrow(x, left.from(i, k0));
          } else {
            copy_all_tiles<F>(copies.tiles, left.from(i, k0), rows, depth);
            multiply(x);
          }
        }
      });
    }
  }

  static int64_t packed_size(int64_t k, int64_t n) {
    return (n + F::kWidth - 1) / F::kWidth * F::kWidth * F::length(k);
  }

  static void pack_matrix(T* packed, Mat<const T> b) {
    pack_all<F>(reinterpret_cast<Packed*>(packed), View<T>(b), b.rows, b.cols);
  }

  static void gemm_packed(Mat<T> c, Mat<const T> a, const T* packed, Write write) {
    const int64_t k = a.cols;
    auto* tiles = scratch<Copies<F>>().tiles;
    if (k == 0 && write == Write::assign) clear(c);
    for (int64_t i = 0; i < c.rows; i += kSpan) {
      const int64_t rows = std::min(kSpan, c.rows - i);
      for_each_depth<F>(k, [&](int64_t k0, int64_t depth) {
        copy_all_tiles<F>(tiles, View<T>(a).from(i, k0), rows, depth);
        multiply<F>({.c = c.at + i * c.ld,
                     .ldc = c.ld,
                     .tiles = tiles,
                     .panels = reinterpret_cast<const Packed*>(packed) + F::length(k0) * F::kWidth,
                     .transposed = false,
                     .stride = F::length(k) * F::kWidth,
                     .m = rows,
                     .n = c.cols,
                     .depth = depth,
                     .write = k0 > 0 ? Write::add : write});
      });
    }
  }
};

#ifdef HEED_GEMM_EIGEN
template <class T> using FullProducts = ByEigen<T>;
#else
template <class T> using FullProducts = Blocks<Full<T>>;
#endif

// body(what has the functions of Blocks) for the precision that products of T have now.
template <class T, class Body> void with_format(Body body) {
  if constexpr (std::is_same_v<T, float>) {
    if (matmul() == Matmul::bf16) {
      return with_bf16_tile([&](auto tile) { body(Blocks<Bf16<decltype(tile)>>()); });
    }
  }
  body(FullProducts<T>());
}

}  // namespace

template <class T> void gemm(Mat<T> c, Mat<const T> a, Mat<const T> b, Write write) {
  count_product(c.rows, c.cols, a.cols);
  with_format<T>([=](auto blocks) { blocks.gemm(c, a, b, write); });
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
  with_format<T>([=](auto blocks) { *elements = blocks.packed_size(k, n); });
}

template <class T> void pack_matrix(T* packed, Mat<const T> b) {
  with_format<T>([=](auto blocks) { blocks.pack_matrix(packed, b); });
}

template <class T> void gemm_packed(Mat<T> c, Mat<const T> a, const T* packed, Write write) {
  count_product(c.rows, c.cols, a.cols);
  with_format<T>([=](auto blocks) { blocks.gemm_packed(c, a, packed, write); });
}

HEED_INSTANTIATE(gemm, gemm_batched, packed_size, pack_matrix, gemm_packed);

}  // namespace heed::cpu
