// The format of `--matmul bf16`: the factors are rounded to bf16 while they are copied, and the
// products summed in f32. bf16 is the upper half of an f32: 8 bits of exponent, 7 of mantissa.
//
// What C is, to the bit, on every processor and for every tile. Numbers below 2^-126 are 0 wherever
// they occur. k is taken in blocks of 32, the last one filled up with zeros:
//   first  = a[0] b[0];    first  = a[k] b[k] + first     for k = 1 .. 15, each rounded once
//   second = a[16] b[16];  second = a[k] b[k] + second    for k = 17 .. 31
//   C = C + (first + second)
// That is the order of AMX: TDPBF16PS multiplies rows of 16 pairs, sums the lower halves of the
// pairs and their upper halves, and adds both to C. VDPBF16PS takes C = a b + C with the upper
// halves and then with the lower ones, so it gets other pairs (Intel Software Developer's Manual,
// volume 2).
#pragma once

#include <array>
#include <bit>

#include "tensor/kernels/gemm_pack.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#pragma GCC visibility push(hidden)
namespace heed::cpu {

using Pair = uint32_t;          // two numbers of bf16
constexpr int64_t kPairs = 16;  // of a block
constexpr int64_t kPairedK = 2 * kPairs;
constexpr int64_t kPairedDepth = 1024;  // of k in one block of A and B: as many bytes as in f32
// From row to row of a tile of A: not a power of two, as in gemm_full.h.
constexpr int64_t kPairRowStep = kPairedDepth / 2 + kPairs;

// Which two of the 32 of a block make pair p.
struct HalvesPaired {  // (0, 16), (1, 17) ...
  static constexpr int64_t low(int64_t p) { return p; }
  static constexpr int64_t high(int64_t p) { return p + kPairs; }
  template <class Rounding> static void block(Pair* to, const float* from) {
    for (int64_t p = 0; p < kPairs; p += Rounding::kLanes) {
      Rounding::pairs(to + p, from + p, from + p + kPairs);
    }
  }
};
struct NeighboursPaired {  // (1, 0), (3, 2) ...: the upper half comes first
  static constexpr int64_t low(int64_t p) { return 2 * p + 1; }
  static constexpr int64_t high(int64_t p) { return 2 * p; }
  template <class Rounding> static void block(Pair* to, const float* from) {
    Rounding::neighbours(to, from);
  }
};

// The bits of x, rounded so that the upper half is the nearest bf16, and the even one at ties. NaN
// stays NaN. Subnormal numbers become 0, as the instructions read them.
inline uint32_t round_to_bf16(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x), size = bits & 0x7fffffff;
  const uint32_t up = bits + 0x7fff + (bits >> 16 & 1);
  const uint32_t normal = size > 0x7f800000 ? bits | 0x400000 : up;
  return size < 0x00800000 ? bits & 0x80000000 : normal;
}

inline Pair pair_of(float low, float high) {
  return round_to_bf16(low) >> 16 | (round_to_bf16(high) & 0xffff0000);
}

// How numbers become pairs: kLanes of them from the lower and the upper ones, or the 16 of a block
// of neighbours. Both give the same bits.
struct RoundedByBits {  // any processor
  static constexpr int64_t kLanes = Simd<Pair>::kLanes;
  static void pairs(Pair* to, const float* low, const float* high) {
    for (int64_t i = 0; i < kLanes; ++i) to[i] = pair_of(low[i], high[i]);
  }
  static void neighbours(Pair* to, const float* from) {
    for (int64_t p = 0; p < kPairs; ++p) to[p] = pair_of(from[2 * p + 1], from[2 * p]);
  }
};

#if defined(__AVX512F__)
// AVX512-BF16. On a Zen 5 a step of the laptop size takes 3 % less time than with the above.
struct RoundedByInstruction {
  static constexpr int64_t kLanes = kPairs;
  static void pairs(Pair* to, const float* low, const float* high) {
    _mm512_storeu_si512(to, _mm512_permutexvar_epi16(alternating(), rounded(low, high)));
  }
  static void neighbours(Pair* to, const float* from) {
    const auto both = std::bit_cast<Simd<Pair>::Vector>(rounded(from, from + kPairs));
    *reinterpret_cast<Simd<Pair>::Unaligned*>(to) = both << 16 | both >> 16;
  }

 private:
  // The 16 numbers from `first` on, then the 16 from `second` on. The compilers' function for the
  // instruction would need the whole of gemm.cc compiled for it.
  static __m512i rounded(const float* first, const float* second) {
    __m512i both;
    asm("vcvtne2ps2bf16 %2, %1, %0"
        : "=v"(both)
        : "v"(_mm512_loadu_ps(second)), "v"(_mm512_loadu_ps(first)));
    return both;
  }
  static __m512i alternating() {  // 0, 16, 1, 17 ...
    alignas(64) static constexpr auto kFrom = [] {
      std::array<uint16_t, 2 * kPairs> from = {};
      for (uint16_t i = 0; i < 2 * kPairs; ++i) from[i] = i / 2 + i % 2 * kPairs;
      return from;
    }();
    return _mm512_load_si512(kFrom.data());
  }
};
#endif

// The 16 pairs of one block of a row; numbers from `left` on are 0.
template <class Tile> void pair_block(Pair* to, const float* from, int64_t left) {
  float block[kPairedK] = {};
  if (left < kPairedK) from = std::copy_n(from, left, block) - left;
  Tile::Paired::template block<typename Tile::Rounding>(to, from);
}

// Pair p of a block of `width` columns, whose rows lie `ld` apart; rows from `left` on are 0.
template <class Tile>
void pair_rows(Pair* to, const float* block, int64_t ld, int64_t p, int64_t left, int64_t width) {
  using Paired = typename Tile::Paired;
  using Rounding = typename Tile::Rounding;
  constexpr int64_t kLanes = Rounding::kLanes;
  constexpr float kZeros[kLanes] = {};
  const bool has_low = Paired::low(p) < left, has_high = Paired::high(p) < left;
  const float* low = has_low ? block + Paired::low(p) * ld : kZeros;
  const float* high = has_high ? block + Paired::high(p) * ld : kZeros;
  const auto pair_lanes = [=](int64_t i) {
    Rounding::pairs(to + i, has_low ? low + i : low, has_high ? high + i : high);
  };
  if (width < kLanes) {
    for (int64_t i = 0; i < width; ++i) {
      to[i] = pair_of(has_low ? low[i] : 0, has_high ? high[i] : 0);
    }
    return;
  }
  for (int64_t i = 0; i < width - kLanes; i += kLanes) pair_lanes(i);
  pair_lanes(width - kLanes);  // some of them a second time
}

// Tile has kRows, kWidth, Paired, Rounding and Runner (gemm_bf16_tiles.h).
template <class Tile> struct Bf16 {
  using Number = float;
  using Packed = Pair;
  using Runner = typename Tile::Runner;
  static constexpr int kTileRows = Tile::kRows;
  static constexpr int64_t kDepth = kPairedDepth, kWidth = Tile::kWidth, kBlock = kPairedK;
  static constexpr int64_t length(int64_t k) { return (k + kPairedK - 1) / kPairedK * kPairs; }
  static constexpr int64_t kRowStep = kPairRowStep;

  static void copy_row(Pair* to, const float* from, int64_t depth) {
    for (int64_t k = 0; k < depth; k += kPairedK, to += kPairs) {
      pair_block<Tile>(to, from + k, depth - k);
    }
  }

  // `count` tiles of a transposed A, whose rows begin at begin[0 .. count]: the same as copy_row,
  // so that a tile has one form only.
  static void copy_columns(Pair* tiles, View<float> a, const int64_t* begin, int64_t count,
                           int64_t depth) {
    constexpr int64_t kMost = kGroup * kTileRows + kLanes;
    const int64_t rows = begin[count] - begin[0];
    Pair columns[kPairs * kMost] = {}, square[kLanes * kPairs];
    for (int64_t k = 0; k < depth; k += kPairedK) {
      for (int64_t p = 0; p < kPairs; ++p) {
        pair_rows<Tile>(columns + p * kMost, a.from(begin[0], k).at, a.col_step, p, depth - k,
                        rows);
      }
      for (int64_t i = 0, t = 0; i < rows; ++i) {
        if (i % kLanes == 0) transpose_pairs(square, columns + i, kMost);
        while (begin[t + 1] <= begin[0] + i) ++t;
        std::copy_n(square + i % kLanes * kPairs, kPairs,
                    tiles + t * kTileSize<Bf16> + (begin[0] + i - begin[t]) * kRowStep + k / 2);
      }
    }
  }

  // One panel of B, whose rows lie in memory ld apart.
  static void pack_rows(Pair* panel, const float* from, int64_t ld, int64_t depth, int64_t width) {
    for (int64_t k = 0; k < depth; k += kPairedK) {
      for (int64_t p = 0; p < kPairs; ++p, panel += kWidth) {
        pair_rows<Tile>(panel, from + k * ld, ld, p, depth - k, width);
      }
    }
  }

  // One panel of a transposed B: its `width` columns lie in memory as rows of `depth`, ld apart.
  static void pack_columns(Pair* panel, const float* from, int64_t ld, int64_t depth,
                           int64_t width) {
    for (int64_t k = 0; k < depth; k += kPairedK, panel += kPairs * kWidth) {
      for (int64_t i = 0; i < width; i += kLanes) {
        Pair columns[kLanes * kPairs] = {};
        for (int64_t l = 0; l < std::min(kLanes, width - i); ++l) {
          pair_block<Tile>(columns + l * kPairs, from + (i + l) * ld + k, depth - k);
        }
        for (int64_t p = 0; p < kPairs; p += kLanes) {
          transpose_square(panel + p * kWidth + i, kWidth, columns + p, kPairs);
        }
      }
    }
  }

 private:
  static constexpr int64_t kLanes = Simd<Pair>::kLanes;

  // kLanes columns of the 16 pairs of a block, `ld` apart, to rows.
  static void transpose_pairs(Pair* rows, const Pair* columns, int64_t ld) {
    for (int64_t p = 0; p < kPairs; p += kLanes) {
      transpose_square(rows + p, kPairs, columns + p * ld, ld);
    }
  }
};

}  // namespace heed::cpu
#pragma GCC visibility pop
