// The tiles that multiply pairs of bf16, with the sums of gemm_bf16.h:
//   C (R, kWidth) = or += A (R, length) panel (length, kWidth)
// The rows of A lie kRowStep pairs apart; a panel holds the kWidth columns of one pair after the
// other.
#pragma once

#include "tensor/kernels/gemm_bf16.h"
#include "tensor/kernels/matmul.h"

#if defined(__SSE__)
#include <immintrin.h>
#endif

#pragma GCC visibility push(hidden)
namespace heed::cpu {

// While one exists, this thread treats subnormal numbers (below 2^-126) as 0, whether it reads or
// computes them. x86 only.
class FlushSmall {
 public:
#if defined(__SSE__)
  FlushSmall() : before_(_mm_getcsr()) {
    _mm_setcsr(before_ | kFlush);
  }
  ~FlushSmall() {
    _mm_setcsr(before_);
  }
  FlushSmall(const FlushSmall&) = delete;
  FlushSmall& operator=(const FlushSmall&) = delete;

 private:
  static constexpr unsigned kFlush = 0x8040;  // results, operands
  unsigned before_;
#endif
};

using PairTile = void (*)(float*, int64_t, const Pair*, const Pair*, int64_t, Write);

// Runs tiles from a table: tile[r - 1] has r rows. The tiles are not inlined, so none of their
// arithmetic moves out of the lifetime of `flush_`.
template <const auto& kTiles> class TableRunner {
 public:
  explicit TableRunner(bool /*a_transposed*/) {}
  void operator()(int64_t rows, float* c, int64_t ldc, const Pair* a, const Pair* panel,
                  int64_t length, Write write) const {
    kTiles[rows - 1](c, ldc, a, panel, length, write);
  }

 private:
  FlushSmall flush_;
};

// ---- any processor

using Pairs = Simd<Pair>::Vector;

// x in every lane. GCC would take the half of x before it spreads it, which is slower.
inline Pairs spread(Pair x) {
  Pairs all = Pairs{} + x;
#if defined(__SSE2__)
  asm("" : "+v"(all));
#endif
  return all;
}

// One half of the pairs of a block after the other: the sums of kVectorRows rows and two vectors
// of columns fit into the registers. A product of two bf16 is exact in f32: with or without fused
// multiply-add it is rounded once.
template <int R>
void plain_pair_tile(float* c, int64_t ldc, const Pair* a, const Pair* panel, int64_t length,
                     Write write) {
  using V = Simd<float>::Vector;
  using U = Simd<float>::Unaligned;
  constexpr int64_t kLanes = Simd<float>::kLanes;
  V sum[R][2] = {};
  for (int i = 0; i < R && write == Write::add; ++i) {
    for (int j : {0, 1}) sum[i][j] = *reinterpret_cast<const U*>(c + i * ldc + j * kLanes);
  }
  const auto add_block = [&](V(&block)[R][2], auto half) {
    for (int64_t q = 0; q < kPairs; ++q) {
      const auto* b = reinterpret_cast<const Simd<Pair>::Unaligned*>(panel + q * 2 * kLanes);
      const V b0 = half(b[0]), b1 = half(b[1]);
#pragma GCC unroll 12
      for (int i = 0; i < R; ++i) {
        const V x = half(spread(a[i * kPairRowStep + q]));
        block[i][0] += x * b0;
        block[i][1] += x * b1;
      }
    }
  };
  for (int64_t p = 0; p < length; p += kPairs, a += kPairs, panel += kPairs * 2 * kLanes) {
    V first[R][2] = {}, second[R][2] = {};
    add_block(first, [](Pairs x) { return std::bit_cast<V>(x << 16); });
    add_block(second, [](Pairs x) { return std::bit_cast<V>(x & 0xffff0000); });
    for (int i = 0; i < R; ++i) {
      for (int j : {0, 1}) sum[i][j] += first[i][j] + second[i][j];
    }
  }
  for (int i = 0; i < R; ++i) {
    for (int j : {0, 1}) *reinterpret_cast<U*>(c + i * ldc + j * kLanes) = sum[i][j];
  }
}

struct PlainPairs {
  static constexpr int kRows = kVectorRows;
  static constexpr int64_t kWidth = Simd<float>::kWidth;
  using Paired = HalvesPaired;
  using Rounding = RoundedByBits;
  static constexpr auto kTiles =
      table_of<kRows>([]<int R>() -> PairTile { return plain_pair_tile<R>; });
  using Runner = TableRunner<kTiles>;
};

// ---- AVX512-BF16

#if defined(__AVX512F__)

// VDPBF16PS: in each of 16 lanes c = a.high b.high + c, then c = a.low b.low + c. Both sums of R x
// 2 vectors stay in registers: 24 for 6 rows.
template <int R>
[[gnu::target("avx512bf16")]] void avx512_pair_rows(float* c, int64_t ldc, const Pair* a,
                                                    const Pair* panel, int64_t length,
                                                    Write write) {
  constexpr int64_t kLanes = 16, kWidth = 2 * kLanes, kHalf = kPairs / 2;
  const auto pairs = [](const Pair* at) { return std::bit_cast<__m512bh>(_mm512_loadu_si512(at)); };
  const auto both = [](Pair x) {
    return std::bit_cast<__m512bh>(_mm512_set1_epi32(static_cast<int>(x)));
  };
  __m512 sum[R][2] = {};
  for (int i = 0; i < R && write == Write::add; ++i) {
    sum[i][0] = _mm512_loadu_ps(c + i * ldc);
    sum[i][1] = _mm512_loadu_ps(c + i * ldc + kLanes);
  }
  for (int64_t p = 0; p < length; p += kPairs, a += kPairs) {
    __m512 first[R][2] = {}, second[R][2] = {};
#pragma GCC unroll 8
    for (int64_t q = 0; q < kHalf; ++q, panel += kWidth) {
      const Pair* later = panel + kHalf * kWidth;
      const __m512bh b0 = pairs(panel), b1 = pairs(panel + kLanes);
      const __m512bh b2 = pairs(later), b3 = pairs(later + kLanes);
#pragma GCC unroll 6
      for (int i = 0; i < R; ++i) {
        const __m512bh x = both(a[i * kPairRowStep + q]), y = both(a[i * kPairRowStep + q + kHalf]);
        first[i][0] = _mm512_dpbf16_ps(first[i][0], x, b0);
        first[i][1] = _mm512_dpbf16_ps(first[i][1], x, b1);
        second[i][0] = _mm512_dpbf16_ps(second[i][0], y, b2);
        second[i][1] = _mm512_dpbf16_ps(second[i][1], y, b3);
      }
    }
    panel += kHalf * kWidth;
#pragma GCC unroll 6
    for (int i = 0; i < R; ++i) {
      for (int j : {0, 1}) sum[i][j] += first[i][j] + second[i][j];
    }
  }
  for (int i = 0; i < R; ++i) {
    _mm512_storeu_ps(c + i * ldc, sum[i][0]);
    _mm512_storeu_ps(c + i * ldc + kLanes, sum[i][1]);
  }
}

// More than 6 rows are two halves, which read the same panel: the second time from the L1 cache.
template <int R>
void avx512_pair_tile(float* c, int64_t ldc, const Pair* a, const Pair* panel, int64_t length,
                      Write write) {
  constexpr int kAbove = R > 6 ? (R + 1) / 2 : R;
  avx512_pair_rows<kAbove>(c, ldc, a, panel, length, write);
  if constexpr (R > kAbove) {
    avx512_pair_rows<R - kAbove>(c + kAbove * ldc, ldc, a + kAbove * kPairRowStep, panel, length,
                                 write);
  }
}

struct Avx512Pairs {
  static constexpr int kRows = 12;
  static constexpr int64_t kWidth = 32;
  using Paired = NeighboursPaired;
  using Rounding = RoundedByInstruction;
  static constexpr auto kTiles =
      table_of<kRows>([]<int R>() -> PairTile { return avx512_pair_tile<R>; });
  using Runner = TableRunner<kTiles>;
};

#endif

// ---- AMX

// Eight registers ("tiles" to AMX) of up to 16 rows of 64 bytes. C has the first four, A the next
// two and the panel the last two:
//
//                     B: 16 pairs x 16 columns    6 | 7
//                                               ----+----
//     A: up to 16 rows x 16 pairs            4  | 0 | 1
//        the rows from 16 on                 5  | 2 | 3
//
// Each load feeds two products. How many rows they have is set once for many tiles of C.
//
// `Amx` has the instructions; the tests emulate them.
template <class Amx, bool kMoreRows>
void amx_pair_tile(float* c, int64_t ldc, const Pair* a, const Pair* panel, int64_t length,
                   Write write) {
  constexpr int64_t kLanes = 16, kWidth = 2 * kLanes, kBelow = 16;
  if (write == Write::add) {
    Amx::template load<0>(c, ldc);
    Amx::template load<1>(c + kLanes, ldc);
    if constexpr (kMoreRows) {
      Amx::template load<2>(c + kBelow * ldc, ldc);
      Amx::template load<3>(c + kBelow * ldc + kLanes, ldc);
    }
  } else {
    Amx::clear_c();
  }
  for (int64_t p = 0; p < length; p += kPairs) {
    Amx::template load<6>(panel + p * kWidth, kWidth);
    Amx::template load<7>(panel + p * kWidth + kLanes, kWidth);
    Amx::template load<4>(a + p, kPairRowStep);
    Amx::template multiply_add<0, 4, 6>();
    Amx::template multiply_add<1, 4, 7>();
    if constexpr (kMoreRows) {
      Amx::template load<5>(a + kBelow * kPairRowStep + p, kPairRowStep);
      Amx::template multiply_add<2, 5, 6>();
      Amx::template multiply_add<3, 5, 7>();
    }
  }
  Amx::template store<0>(c, ldc);
  Amx::template store<1>(c + kLanes, ldc);
  if constexpr (kMoreRows) {
    Amx::template store<2>(c + kBelow * ldc, ldc);
    Amx::template store<3>(c + kBelow * ldc + kLanes, ldc);
  }
}

// What LDTILECFG reads: rows and bytes a row of each register.
struct alignas(64) AmxShapes {
  uint8_t palette = 1, start_row = 0, unused[14] = {};
  uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {};

  explicit AmxShapes(int64_t tile_rows) {
    const auto above = static_cast<uint8_t>(std::min<int64_t>(tile_rows, 16));
    const auto below = static_cast<uint8_t>(std::max<int64_t>(tile_rows - 16, 1));  // 0 is refused
    const uint8_t all[8] = {above, above, below, below, above, below, 16, 16};
    std::copy_n(all, 8, rows);
  }
};

template <class Amx> struct AmxPairs {
  static constexpr int kRows = 32;
  static constexpr int64_t kWidth = 32;
  using Paired = HalvesPaired;
  using Rounding = typename Amx::Rounding;

  class Runner {
   public:
    explicit Runner(bool /*a_transposed*/) {}
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;
    ~Runner() {
      if (rows_ > 0) Amx::release();
    }
    void operator()(int64_t rows, float* c, int64_t ldc, const Pair* a, const Pair* panel,
                    int64_t length, Write write) {
      if (rows != rows_) Amx::configure(AmxShapes(rows_ = rows));
      (rows > 16 ? amx_pair_tile<Amx, true> : amx_pair_tile<Amx, false>)(c, ldc, a, panel, length,
                                                                         write);
    }

   private:
    int64_t rows_ = 0;  // that the registers are configured for
  };
};

#if defined(__AVX512F__)

// The instructions themselves: the compilers' functions for them take no template arguments.
struct AmxInstructions {
  using Rounding = RoundedByInstruction;
  static void configure(const AmxShapes& shapes) { asm volatile("ldtilecfg %0" ::"m"(shapes)); }
  static void release() { asm volatile("tilerelease"); }
  static void clear_c() {
    asm volatile("tilezero %tmm0\n tilezero %tmm1\n tilezero %tmm2\n tilezero %tmm3");
  }
  template <int kTo> static void load(const void* from, int64_t step) {  // step: 4 bytes each
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(4 * step), "i"(kTo) : "memory");
  }
  template <int kFrom> static void store(void* to, int64_t step) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(4 * step), "i"(kFrom) : "memory");
  }
  template <int kC, int kA, int kB> static void multiply_add() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(kC), "i"(kA), "i"(kB));
  }
};

#endif

// body(Tile()) for the tile that bf16_tile() says.
template <class Body> void with_bf16_tile(Body body) {
#if defined(__AVX512F__)
  if (bf16_tile() == Bf16Tile::amx) return body(AmxPairs<AmxInstructions>());
  if (bf16_tile() == Bf16Tile::avx512) return body(Avx512Pairs());
#endif
  body(PlainPairs());
}

}  // namespace heed::cpu
#pragma GCC visibility pop
