// Products of bf16 (`--matmul bf16`): the definition of gemm_bf16.h, computed one number at a time,
// is what every tile of this machine must give, to the bit. AMX is tested with emulated
// instructions everywhere, and with its own where the processor has them.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "tensor/kernels/gemm.h"
#include "tensor/kernels/gemm_bf16_tiles.h"
#include "tensor/kernels/matmul.h"
#include "tensor/parallel.h"
#include "tensor/random.h"

namespace heed {
namespace {

using cpu::Bf16Tile, cpu::Pair;

constexpr bool kNo = false, kYes = true;  // transposed
constexpr Bf16Tile kAll[] = {Bf16Tile::plain, Bf16Tile::avx512, Bf16Tile::amx};
constexpr float kSmallest = std::numeric_limits<float>::min(), kInfinity = INFINITY;

float flushed(float x) {
  return std::fabs(x) < kSmallest ? std::copysign(0.0f, x) : x;
}

float rounded(float x) {
  return std::bit_cast<float>(cpu::round_to_bf16(x) & 0xffff0000);
}

// c + a b for up to 32 of k, as gemm_bf16.h says; a and b are rounded.
float block(float c, std::span<const float> a, std::span<const float> b) {
  float half[2] = {};
  for (size_t k = 0; k < a.size(); ++k) {
    float& sum = half[k / 16];
    sum = flushed(std::fma(a[k], b[k], sum));
  }
  return flushed(flushed(c) + flushed(half[0] + half[1]));
}

struct Case {
  int64_t m, n, k;
  bool ta = kNo, tb = kNo;
  Write write = Write::assign;
  int64_t slack = 0;  // elements behind each row that are no part of the matrix

  std::string str() const {
    return std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k) +
           (ta ? " A^T" : " A") + (tb ? " B^T" : " B") + (write == Write::add ? " added" : "");
  }
};

struct Problem {
  explicit Problem(const Case& p)
      : p(p),
        lda((p.ta ? p.m : p.k) + p.slack),
        ldb((p.tb ? p.k : p.n) + p.slack),
        ldc(p.n + p.slack),
        a((p.ta ? p.k : p.m) * lda),
        b((p.tb ? p.n : p.k) * ldb),
        c(p.m * ldc) {
    Rng rng(1, "gemm_bf16_test");
    for (auto* values : {&a, &b, &c}) {
      for (float& x : *values) x = static_cast<float>(2 * rng.uniform() - 1);
    }
  }
  Mat<const float> left() const { return {a.data(), p.m, p.k, lda, p.ta}; }
  Mat<const float> right() const { return {b.data(), p.k, p.n, ldb, p.tb}; }
  float a_at(int64_t i, int64_t k) const { return a[p.ta ? k * lda + i : i * lda + k]; }
  float b_at(int64_t k, int64_t j) const { return b[p.tb ? j * ldb + k : k * ldb + j]; }

  std::vector<float> run() const {
    std::vector<float> out = c;
    cpu::gemm<float>({out.data(), p.m, p.n, ldc}, left(), right(), p.write);
    return out;
  }

  std::vector<float> run_packed() const {
    std::vector<float> out = c;
    int64_t elements = 0;
    cpu::packed_size<float>(&elements, p.k, p.n);
    std::vector<float> packed(elements);
    cpu::pack_matrix<float>(packed.data(), right());
    cpu::gemm_packed<float>({out.data(), p.m, p.n, ldc}, left(), packed.data(), p.write);
    return out;
  }

  std::vector<float> definition() const {
    std::vector<float> out = c, rows(p.m * p.k), columns(p.n * p.k);
    for (int64_t k = 0; k < p.k; ++k) {
      for (int64_t i = 0; i < p.m; ++i) rows[i * p.k + k] = rounded(a_at(i, k));
      for (int64_t j = 0; j < p.n; ++j) columns[j * p.k + k] = rounded(b_at(k, j));
    }
    for (int64_t i = 0; i < p.m; ++i) {
      for (int64_t j = 0; j < p.n; ++j) {
        float sum = p.write == Write::add ? c[i * ldc + j] : 0;
        for (int64_t k = 0; k < p.k; k += 32) {
          const size_t count = std::min<int64_t>(32, p.k - k);
          sum = block(sum, {&rows[i * p.k + k], count}, {&columns[j * p.k + k], count});
        }
        out[i * ldc + j] = sum;
      }
    }
    return out;
  }

  Case p;
  int64_t lda, ldb, ldc;
  std::vector<float> a, b, c;
};

// The bits, so that NaN equals NaN and -0 is not 0.
std::vector<uint32_t> bits_of(const std::vector<float>& x) {
  std::vector<uint32_t> bits(x.size());
  std::memcpy(bits.data(), x.data(), 4 * x.size());
  return bits;
}

// Products are of bf16 while a test runs, by one tile after the other.
class GemmBf16 : public testing::TestWithParam<Bf16Tile> {
 protected:
  void SetUp() override {
    before_ = cpu::bf16_tile();
    if (!cpu::has_bf16_tile(GetParam())) {
      GTEST_SKIP() << "this processor, or these kernels, have no " << cpu::name_of(GetParam());
    }
    cpu::use_bf16_tile(GetParam());
    set_matmul(Matmul::bf16);
  }
  void TearDown() override {
    set_matmul(Matmul::f32);
    cpu::use_bf16_tile(before_);
  }

 private:
  Bf16Tile before_ = Bf16Tile::plain;
};

INSTANTIATE_TEST_SUITE_P(Tiles, GemmBf16, testing::ValuesIn(kAll), [](const auto& tile) {
  return std::string(std::array{"Plain", "Avx512", "Amx"}[static_cast<int>(tile.param)]);
});

TEST_P(GemmBf16, IsWhatTheDefinitionSaysToTheBit) {
  for (bool ta : {kNo, kYes}) {
    for (bool tb : {kNo, kYes}) {
      for (Write write : {Write::assign, Write::add}) {
        for (int64_t m : {1, 7, 13, 33}) {
          for (int64_t n : {1, 17, 70}) {
            for (int64_t k : {1, 15, 16, 17, 31, 32, 33, 100}) {
              const Problem problem({m, n, k, ta, tb, write, k % 3});
              ASSERT_EQ(bits_of(problem.run()), bits_of(problem.definition())) << problem.p.str();
            }
          }
        }
      }
    }
  }
}

// More blocks than one of each kind, and packed factors.
TEST_P(GemmBf16, ManyBlocks) {
  for (bool ta : {kNo, kYes}) {
    for (bool tb : {kNo, kYes}) {
      for (const Case& p : {Case{70, 40, 2 * cpu::kPairedDepth + 70, ta, tb, Write::add, 1},
                            Case{cpu::kSpan + 37, 9, 40, ta, tb, Write::assign, 2},
                            Case{5, cpu::kSpan + 37, 40, ta, tb, Write::add, 3},
                            Case{300, 300, 33, ta, tb, Write::assign, 0}}) {
        const Problem problem(p);
        const std::vector<uint32_t> want = bits_of(problem.definition());
        ASSERT_EQ(bits_of(problem.run()), want) << p.str();
        if (ta) continue;
        ASSERT_EQ(bits_of(problem.run_packed()), want) << p.str() << " packed";
      }
    }
  }
}

TEST_P(GemmBf16, NoInnerAxisGivesZerosOrWhatWasThere) {
  for (Write write : {Write::assign, Write::add}) {
    const Problem problem({3, 5, 0, kNo, kNo, write, 2});
    EXPECT_EQ(problem.run(), problem.definition());
    EXPECT_EQ(problem.run_packed(), problem.definition());
  }
}

TEST_P(GemmBf16, AnyNumberOfThreadsGivesTheSameBits) {
  for (const Case& p : {Case{1030, 530, 65, kNo, kYes}, Case{40, 1030, 300, kYes, kNo}}) {
    const Problem problem(p);
    set_num_threads(1);
    const auto one = bits_of(problem.run());
    for (int threads : {2, 4}) {
      set_num_threads(threads);
      EXPECT_EQ(bits_of(problem.run()), one) << p.str() << ", " << threads << " threads";
    }
  }
  set_num_threads(0);
}

// Whether the compiler fuses products and sums of the plain tile: not for a processor that cannot,
// and not between the checks of a sanitizer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
const bool kFused = false;
#else
const bool kFused = std::string(cpu::isa()) != "baseline";
#endif

// Infinities, NaN, numbers that are too small for f32's normal ones, sums that become so, -0.
TEST_P(GemmBf16, StrangeNumbers) {
  const float strange[] = {0.0f,      -0.0f,      kInfinity,     -kInfinity, NAN,
                           kSmallest, -kSmallest, kSmallest / 2, 1e-30f,     -1e-30f,
                           3e38f,     1.0f,       -1.00390625f,  1e-20f};
  Problem problem({40, 40, 3, kNo, kYes, Write::add, 0});
  for (auto* values : {&problem.a, &problem.b, &problem.c}) {
    Rng rng(values->size(), "strange");
    for (float& x : *values) x = strange[rng.below(std::size(strange))];
  }
  const std::vector<float> got = problem.run(), want = problem.definition();
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << i << ": " << got[i];
    } else if (!kFused) {
      // A product below 2^-126 is 0 before it is added, and one that is too large infinite, which
      // with the other infinity is NaN.
      const bool lost = std::isnan(got[i]) && std::isinf(want[i]);
      EXPECT_TRUE(lost || got[i] == want[i] || std::fabs(got[i] - want[i]) < 4 * kSmallest)
          << i << ": " << got[i] << ", " << want[i];
    } else {
      EXPECT_EQ(bits_of({got[i]}), bits_of({want[i]})) << i << ": " << got[i] << ", " << want[i];
    }
  }
}

TEST_P(GemmBf16, LeavesTheRoundingOfTheThreadAsItWas) {
  const Problem problem({5, 5, 5});
  problem.run();
  volatile float small = kSmallest;
  EXPECT_GT(small / 2, 0) << "numbers below 2^-126 have become 0 for everybody";
}

TEST(Bf16, RoundsToTheNearestAndOfTwoToTheEven) {
  const auto upper = [](float x) { return cpu::round_to_bf16(x) >> 16; };
  EXPECT_EQ(upper(1.0f), 0x3f80u);
  EXPECT_EQ(upper(0x1.01p0f), 0x3f80u);      // half-way: 1.00 is even
  EXPECT_EQ(upper(0x1.010002p0f), 0x3f81u);  // a little more
  EXPECT_EQ(upper(0x1.03p0f), 0x3f82u);      // half-way: 1.04 is even
  EXPECT_EQ(upper(-0x1.03p0f), 0xbf82u);
  EXPECT_EQ(upper(3.4e38f), 0x7f80u);  // nearer to 2^128
  EXPECT_EQ(upper(kInfinity), 0x7f80u);
  EXPECT_EQ(upper(-0.0f), 0x8000u);
  EXPECT_EQ(upper(-kSmallest / 2), 0x8000u);
  EXPECT_EQ(upper(kSmallest), 0x0080u);
  for (uint32_t nan : {0x7f800001u, 0x7fffffffu, 0xffc00000u}) {
    EXPECT_TRUE(std::isnan(rounded(std::bit_cast<float>(nan)))) << nan;
  }
}

TEST(Bf16, DoublesAreNotRounded) {
  const double a = 1.0 + 1e-12, b = 1;
  double c = 0;
  set_matmul(Matmul::bf16);
  cpu::gemm<double>({&c, 1, 1, 1}, {&a, 1, 1, 1}, {&b, 1, 1, 1}, Write::assign);
  set_matmul(Matmul::f32);
  EXPECT_EQ(c, a);
}

TEST(Bf16, ATileThatThisProcessorLacksIsRefused) {
  for (Bf16Tile tile : kAll) {
    if (cpu::has_bf16_tile(tile)) continue;
    EXPECT_THROW(cpu::use_bf16_tile(tile), DeviceError) << cpu::name_of(tile);
  }
  EXPECT_TRUE(cpu::has_bf16_tile(Bf16Tile::plain));
}

TEST(Bf16, TheFastestTileIsChosen) {
  EXPECT_EQ(cpu::fastest_bf16_tile(kYes, kYes, [] { return true; }), Bf16Tile::amx);
  EXPECT_EQ(cpu::fastest_bf16_tile(kNo, kYes, [] { return true; }), Bf16Tile::avx512);
  EXPECT_EQ(cpu::fastest_bf16_tile(kNo, kNo, [] { return true; }), Bf16Tile::plain);
  // Linux refuses AMX.
  EXPECT_EQ(cpu::fastest_bf16_tile(kYes, kYes, [] { return false; }), Bf16Tile::avx512);
  EXPECT_EQ(cpu::fastest_bf16_tile(kYes, kNo, [] { return false; }), Bf16Tile::plain);
}

// The instructions of AMX as Intel's manual defines them (volume 2, TDPBF16PS and those before it).
struct EmulatedAmx {
  using Rounding = cpu::RoundedByBits;
  struct Register {
    uint32_t words[16][16];
  };
  static inline Register registers[8];
  static inline std::vector<int> rows;  // as configured; none: every other instruction fails

  static void configure(const cpu::AmxShapes& shapes) {
    ASSERT_EQ(shapes.palette, 1);
    rows.assign(shapes.rows, shapes.rows + 8);
    for (int r = 0; r < 8; ++r) {
      ASSERT_TRUE(rows[r] >= 1 && rows[r] <= 16) << "rows of register " << r << ": " << rows[r];
      ASSERT_EQ(shapes.bytes[r], 64);
    }
    clear();
  }
  static void release() { rows.clear(); }
  static void clear_c() {
    for (int r = 0; r < 4; ++r) registers[r] = {};
  }
  template <int kTo> static void load(const void* from, int64_t step) {
    ASSERT_FALSE(rows.empty());
    registers[kTo] = {};
    for (int i = 0; i < rows[kTo]; ++i) {
      std::memcpy(registers[kTo].words[i], static_cast<const char*>(from) + 4 * i * step, 64);
    }
  }
  template <int kFrom> static void store(void* to, int64_t step) {
    for (int i = 0; i < rows[kFrom]; ++i) {
      std::memcpy(static_cast<char*>(to) + 4 * i * step, registers[kFrom].words[i], 64);
    }
  }
  template <int kC, int kA, int kB> static void multiply_add() {
    ASSERT_EQ(rows[kA], rows[kC]);
    ASSERT_EQ(rows[kB], 16);
    for (int m = 0; m < rows[kA]; ++m) {
      for (int n = 0; n < 16; ++n) {
        float even = 0, odd = 0;
        for (int k = 0; k < 16; ++k) {
          const uint32_t a = registers[kA].words[m][k], b = registers[kB].words[k][n];
          even = flushed(std::fma(number(a << 16), number(b << 16), even));
          odd = flushed(std::fma(number(a & 0xffff0000), number(b & 0xffff0000), odd));
        }
        uint32_t& c = registers[kC].words[m][n];
        c = std::bit_cast<uint32_t>(flushed(flushed(number(c)) + flushed(even + odd)));
      }
    }
  }

 private:
  static float number(uint32_t bits) { return std::bit_cast<float>(bits); }
  static void clear() {
    for (Register& r : registers) r = {};
  }
};

// One tile of C by the code for AMX, as Product::piece() calls it.
TEST(AmxTile, IsWhatTheDefinitionSaysToTheBit) {
  using Tile = cpu::AmxPairs<EmulatedAmx>;
  using Format = cpu::Bf16<Tile>;
  for (bool transposed : {kNo, kYes}) {
    for (Write write : {Write::assign, Write::add}) {
      for (int64_t m : {1, 15, 16, 17, 32}) {
        for (int64_t k : {1, 32, 100}) {
          const Problem problem({m, Tile::kWidth, k, transposed, transposed, write, 1});
          std::vector<Pair> tiles(cpu::kTileSize<Format>), panel(Tile::kWidth * Format::length(k));
          cpu::copy_all_tiles<Format>(tiles.data(), cpu::View<float>(problem.left()), m, k);
          cpu::pack_all<Format>(panel.data(), cpu::View<float>(problem.right()), k, Tile::kWidth);
          std::vector<float> got = problem.c;
          {
            Tile::Runner run(transposed);
            run(m, got.data(), problem.ldc, tiles.data(), panel.data(), Format::length(k), write);
          }
          EXPECT_TRUE(EmulatedAmx::rows.empty()) << "the registers were not released";
          ASSERT_EQ(bits_of(got), bits_of(problem.definition())) << problem.p.str();
        }
      }
    }
  }
}

TEST(AmxTile, ConfiguresAnewWhereTilesHaveOtherRows) {
  using Tile = cpu::AmxPairs<EmulatedAmx>;
  std::vector<Pair> a(32 * cpu::kPairRowStep), panel(32 * 16);
  std::vector<float> c(32 * 32);
  Tile::Runner run(kNo);
  for (int64_t rows : {20, 20, 5, 32}) {
    run(rows, c.data(), 32, a.data(), panel.data(), 16, Write::assign);
    EXPECT_EQ(EmulatedAmx::rows[0] + (rows > 16 ? EmulatedAmx::rows[2] : 0), rows);
  }
}

}  // namespace
}  // namespace heed
