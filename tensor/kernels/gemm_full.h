// The format that keeps every number as it is, and its tile.
#pragma once

#include <array>

#include "tensor/kernels/gemm_pack.h"

#pragma GCC visibility push(hidden)
namespace heed::cpu {

// n elements, mostly kUsual: a number that the compiler knows is some vector moves, not a call.
template <int64_t kUsual, class T> void copy(T* to, const T* from, int64_t n) {
  if (n == kUsual) {
    std::memcpy(to, from, kUsual * sizeof(T));
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i];
  }
}

// A tile of A (rows, depth) as it is read: row after row, at a distance that is not a power of two
// (else the rows would share few sets of the L1 cache), or column after column if A is transposed.
template <class T> constexpr int64_t kFullRowStep = kDepth + 64 / sizeof(T);

// C (R, kWidth) = or += A (R, depth) panel (depth, kWidth)
template <class T, int R, bool kTransposed>
void full_tile(T* c, int64_t ldc, const T* a, const T* panel, int64_t depth, Write write) {
  using V = typename Simd<T>::Vector;
  using U = typename Simd<T>::Unaligned;
  constexpr int kLanes = Simd<T>::kLanes;
  constexpr int64_t kRow = kTransposed ? 1 : kFullRowStep<T>;
  constexpr int64_t kCol = kTransposed ? R : 1;
  V sum[R][2] = {};
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
  // C comes last: a long sum is one of sums of kDepth, and loses less to rounding.
  if (write == Write::add) {
#pragma GCC unroll 12
    for (int i = 0; i < R; ++i) {
      sum[i][0] += *reinterpret_cast<const U*>(c + i * ldc);
      sum[i][1] += *reinterpret_cast<const U*>(c + i * ldc + kLanes);
    }
  }
#pragma GCC unroll 12
  for (int i = 0; i < R; ++i) {
    *reinterpret_cast<U*>(c + i * ldc) = sum[i][0];
    *reinterpret_cast<U*>(c + i * ldc + kLanes) = sum[i][1];
  }
}

template <class T> using FullTile = void (*)(T*, int64_t, const T*, const T*, int64_t, Write);
// kFullTiles<T>[r - 1] is the tile of r rows.
template <class T, bool kTransposed>
constexpr auto kFullTiles = table_of<kVectorRows>([]<int R>() -> FullTile<T> {
  return full_tile<T, R, kTransposed>;
});

template <class T> struct Full {
  using Number = T;
  using Packed = T;
  static constexpr int kTileRows = kVectorRows;
  static constexpr int64_t kDepth = cpu::kDepth, kWidth = Simd<T>::kWidth,
                           kRowStep = kFullRowStep<T>, kBlock = 16;
  static constexpr int64_t length(int64_t k) { return k; }

  static void copy_row(T* to, const T* from, int64_t depth) { std::copy_n(from, depth, to); }

  // `count` tiles of a transposed A, whose rows begin at begin[0 .. count]. All tiles at once, so
  // that whole cache lines are used.
  static void copy_columns(T* tiles, View<T> a, const int64_t* begin, int64_t count,
                           int64_t depth) {
    for (int64_t k = 0; k < depth; ++k) {
      for (int64_t t = 0; t < count; ++t) {
        const int64_t height = begin[t + 1] - begin[t];
        copy<kTileRows>(tiles + t * kTileSize<Full> + k * height, a.at + begin[t] + k * a.col_step,
                        height);
      }
    }
  }

  // One panel of B, whose rows lie in memory ld apart.
  static void pack_rows(T* panel, const T* from, int64_t ld, int64_t depth, int64_t width) {
    for (int64_t k = 0; k < depth; ++k) copy<kWidth>(panel + k * kWidth, from + k * ld, width);
  }

  // One panel of a transposed B: its `width` columns lie in memory as rows of `depth`, ld apart.
  static void pack_columns(T* panel, const T* from, int64_t ld, int64_t depth, int64_t width) {
    constexpr int64_t kLanes = Simd<T>::kLanes;
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

  class Runner {
   public:
    explicit Runner(bool a_transposed)
        : tiles_(a_transposed ? kFullTiles<T, true> : kFullTiles<T, false>) {}
    void operator()(int64_t rows, T* c, int64_t ldc, const T* a, const T* panel, int64_t depth,
                    Write write) const {
      tiles_[rows - 1](c, ldc, a, panel, depth, write);
    }

   private:
    const std::array<FullTile<T>, kTileRows>& tiles_;
  };
};

}  // namespace heed::cpu
#pragma GCC visibility pop
