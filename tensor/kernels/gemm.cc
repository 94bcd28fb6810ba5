// Matrix products in the manner of BLIS (Van Zee & van de Geijn 2015): a block of B is packed into
// panels that lie in the order in which they are read; a tile of C stays in registers while k runs.
//
//   gemm      threads take pieces of C                                        L3
//   block       for each piece: kDepth of k at a time, B's block packed       L2
//   tile          kTileRows x 2 vectors of C                                  registers
#include "tensor/kernels/gemm.h"

#include <algorithm>
#include <array>
#include <memory>
#include <type_traits>
#include <utility>

#include "tensor/parallel.h"

namespace heed::cpu {
namespace {

// Two vectors of accumulators a row: 12 rows fill 24 of AVX-512's 32 registers, 6 rows 12 of 16.
#if defined(__AVX512F__)
constexpr int kVectorBytes = 64, kTileRows = 12;
#elif defined(__AVX__)
constexpr int kVectorBytes = 32, kTileRows = 6;
#else
constexpr int kVectorBytes = 16, kTileRows = 6;
#endif
constexpr int64_t kDepth = 512;      // of k, in one block
constexpr int64_t kPanels = 8;       // of B, in one block: 512 KiB with AVX-512
constexpr int64_t kPieceRows = 504;  // of C, in one thread's piece: enough pieces to share out

template <class T> struct Simd {
  typedef T Vector __attribute__((vector_size(kVectorBytes)));
  typedef T Unaligned __attribute__((vector_size(kVectorBytes), aligned(sizeof(T)), may_alias));
  static constexpr int kLanes = kVectorBytes / sizeof(T);
  static constexpr int64_t kWidth = 2 * kLanes;  // columns of a panel
};

// An operand without a fixed orientation: element (i, j) is at[i * rows + j * cols].
template <class T> struct View {
  const T* at;
  int64_t rows, cols;

  View(const T* x, int64_t ld, Trans trans)
      : at(x), rows(trans == Trans::yes ? 1 : ld), cols(trans == Trans::yes ? ld : 1) {}
  View from(int64_t i, int64_t j) const {
    View view = *this;
    view.at += i * rows + j * cols;
    return view;
  }
};

// C (R, kWidth) = or += A (R, depth) panel (depth, kWidth)
template <class T, int R>
void tile(T* c, int64_t ldc, View<T> a, const T* panel, int64_t depth, bool accumulate) {
  using V = typename Simd<T>::Vector;
  using U = typename Simd<T>::Unaligned;
  constexpr int kLanes = Simd<T>::kLanes;
  V sum[R][2] = {};
  if (accumulate) {
#pragma GCC unroll 12
    for (int i = 0; i < R; ++i) {
      sum[i][0] = *reinterpret_cast<const U*>(c + i * ldc);
      sum[i][1] = *reinterpret_cast<const U*>(c + i * ldc + kLanes);
    }
  }
  for (int64_t k = 0; k < depth; ++k, panel += 2 * kLanes) {
    const V b0 = *reinterpret_cast<const U*>(panel),
            b1 = *reinterpret_cast<const U*>(panel + kLanes);
#pragma GCC unroll 12
    for (int i = 0; i < R; ++i) {
      const T x = a.at[i * a.rows + k * a.cols];
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

template <class T> using Tile = void (*)(T*, int64_t, View<T>, const T*, int64_t, bool);
template <class T, int... R>
constexpr std::array<Tile<T>, sizeof...(R)> tiles(std::integer_sequence<int, R...>) {
  return {tile<T, R + 1>...};
}
// kTiles[r - 1] is the tile of r rows.
template <class T> constexpr auto kTiles = tiles<T>(std::make_integer_sequence<int, kTileRows>());

// The last columns of C do not fill a panel: compute on the side, and copy what is there.
template <class T>
void edge_tile(T* c, int64_t ldc, View<T> a, const T* panel, int64_t depth, bool accumulate,
               int64_t rows, int64_t cols) {
  constexpr int64_t kWidth = Simd<T>::kWidth;
  T side[kTileRows * kWidth] = {};
  for (int64_t i = 0; i < rows && accumulate; ++i) {
    std::copy_n(c + i * ldc, cols, side + i * kWidth);
  }
  kTiles<T>[rows - 1](side, kWidth, a, panel, depth, accumulate);
  for (int64_t i = 0; i < rows; ++i) std::copy_n(side + i * kWidth, cols, c + i * ldc);
}

// C (m, n) = or += A (m, depth) panels. The rows are shared out evenly: 16 are 8 + 8, not 12 + 4.
template <class T>
void multiply(T* c, int64_t ldc, View<T> a, const T* panels, int64_t m, int64_t n, int64_t depth,
              bool accumulate) {
  constexpr int64_t kWidth = Simd<T>::kWidth;
  const int64_t count = (m + kTileRows - 1) / kTileRows;
  alignas(64) T packed_a[kTileRows * kDepth];
  for (int64_t t = 0; t < count; ++t) {
    const int64_t i = m * t / count, rows = m * (t + 1) / count - i;
    View<T> from = a.from(i, 0);
    if (a.cols != 1 && depth <= kDepth) {  // a transposed A: its tile once in the order of reading
      const auto copy_tile = [&](auto height) {
        for (int64_t k = 0; k < depth; ++k) {
          std::copy_n(from.at + k * from.cols, height, packed_a + k * height);
        }
      };
      // A height that the compiler knows is some vector moves, not a call.
      rows == kTileRows ? copy_tile(std::integral_constant<int64_t, kTileRows>()) : copy_tile(rows);
      from = View<T>(packed_a, rows, Trans::yes);
    }
    for (int64_t j = 0; j < n; j += kWidth) {
      const T* panel = panels + j * depth;
      T* to = c + i * ldc + j;
      if (n - j >= kWidth) {
        kTiles<T>[rows - 1](to, ldc, from, panel, depth, accumulate);
      } else {
        edge_tile(to, ldc, from, panel, depth, accumulate, rows, n - j);
      }
    }
  }
}

// B (depth, n) to panels: [panel][k][column], the last panel filled up with zeros.
template <class T> void pack(T* panels, View<T> b, int64_t depth, int64_t n) {
  constexpr int64_t kWidth = Simd<T>::kWidth, kSquare = 16;
  for (int64_t j = 0; j < n; j += kWidth, panels += depth * kWidth) {
    const int64_t width = std::min(kWidth, n - j);
    const View<T> from = b.from(0, j);
    if (width < kWidth) std::fill_n(panels, depth * kWidth, T(0));
    if (b.cols == 1) {
      const auto copy_rows = [&](auto columns) {
        for (int64_t k = 0; k < depth; ++k) {
          std::copy_n(from.at + k * from.rows, columns, panels + k * kWidth);
        }
      };
      // A width that the compiler knows is two vector moves, not a call.
      width == kWidth ? copy_rows(std::integral_constant<int64_t, kWidth>()) : copy_rows(width);
      continue;
    }
    for (int64_t k0 = 0; k0 < depth; k0 += kSquare) {  // transposed: squares stay in the L1 cache
      const int64_t k1 = std::min(depth, k0 + kSquare);
      for (int64_t i = 0; i < width; ++i) {
        for (int64_t k = k0; k < k1; ++k) {
          panels[k * kWidth + i] = from.at[k * from.rows + i * from.cols];
        }
      }
    }
  }
}

// C (m, n) = or += A (m, k) B (k, n) on one thread.
template <class T>
void block(T* c, int64_t ldc, View<T> a, View<T> b, int64_t m, int64_t n, int64_t k,
           bool accumulate) {
  struct Scratch {
    alignas(64) T panels[kDepth * kPanels * Simd<T>::kWidth];
  };
  static thread_local const auto scratch = std::make_unique<Scratch>();
  T* panels = scratch->panels;
  for (int64_t i = 0; i < m && k == 0 && !accumulate; ++i) std::fill_n(c + i * ldc, n, T(0));
  for (int64_t k0 = 0; k0 < k; k0 += kDepth) {
    const int64_t depth = std::min(kDepth, k - k0);
    pack(panels, b.from(k0, 0), depth, n);
    multiply(c, ldc, a.from(0, k0), panels, m, n, depth, accumulate || k0 > 0);
  }
}

}  // namespace

template <class T>
void gemm(T* c, int64_t ldc, const T* a, int64_t lda, Trans trans_a, const T* b, int64_t ldb,
          Trans trans_b, int64_t m, int64_t n, int64_t k, bool accumulate) {
  // Narrow results are cut finer, so that there is something to share out.
  const int64_t cols = (n >= 2048 ? kPanels : kPanels / 2) * Simd<T>::kWidth;
  const View<T> left(a, lda, trans_a), right(b, ldb, trans_b);
  const int64_t across = (n + cols - 1) / cols;
  const int64_t down =
      std::max<int64_t>(1, m / kPieceRows);  // the last piece is up to twice as high
  parallel_for(across * down, [=](int64_t piece) {
    const int64_t i = piece % down * kPieceRows, j = piece / down * cols;
    const int64_t rows = piece % down + 1 < down ? kPieceRows : m - i;
    block(c + i * ldc + j, ldc, left.from(i, 0), right.from(0, j), rows, std::min(cols, n - j), k,
          accumulate);
  });
}

template <class T>
void gemm_batched(T* c, int64_t stride_c, const T* a, int64_t stride_a, Trans trans_a, const T* b,
                  int64_t stride_b, Trans trans_b, int64_t batch, int64_t m, int64_t n, int64_t k,
                  bool accumulate) {
  constexpr int64_t kPieceCols = kPanels * Simd<T>::kWidth;
  const int64_t lda = trans_a == Trans::yes ? m : k, ldb = trans_b == Trans::yes ? k : n;
  parallel_for(batch, [=](int64_t i) {
    const View<T> left(a + i * stride_a, lda, trans_a), right(b + i * stride_b, ldb, trans_b);
    for (int64_t j = 0; j < n; j += kPieceCols) {
      block(c + i * stride_c + j, n, left, right.from(0, j), m, std::min(kPieceCols, n - j), k,
            accumulate);
    }
  });
}

template <class T> void packed_size(int64_t* elements, int64_t k, int64_t n) {
  constexpr int64_t kWidth = Simd<T>::kWidth;
  *elements = (n + kWidth - 1) / kWidth * kWidth * k;
}

template <class T>
void pack_matrix(T* packed, const T* b, int64_t ldb, Trans trans_b, int64_t k, int64_t n) {
  const View<T> from(b, ldb, trans_b);
  parallel_ranges(n, kPanels * Simd<T>::kWidth, [=](int64_t begin, int64_t end) {
    pack(packed + begin * k, from.from(0, begin), k, end - begin);
  });
}

template <class T>
void gemm_packed(T* c, int64_t ldc, const T* a, int64_t lda, const T* packed, int64_t m, int64_t n,
                 int64_t k, bool accumulate) {
  const View<T> left(a, lda, Trans::no);
  parallel_ranges(n, 4 * Simd<T>::kWidth, [=](int64_t begin, int64_t end) {
    multiply(c + begin, ldc, left, packed + begin * k, m, end - begin, k, accumulate);
  });
}

HEED_INSTANTIATE(gemm);
HEED_INSTANTIATE(gemm_batched);
HEED_INSTANTIATE(packed_size);
HEED_INSTANTIATE(pack_matrix);
HEED_INSTANTIATE(gemm_packed);

}  // namespace heed::cpu
