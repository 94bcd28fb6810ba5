#include "tensor/kernels/peak.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <vector>

#include "tensor/kernels/gemm_bf16_tiles.h"
#include "tensor/kernels/matmul.h"
#include "tensor/parallel.h"

namespace heed::cpu {
namespace {

using Vector = Simd<float>::Vector;
constexpr int kLanes = Simd<float>::kLanes;
constexpr int kChains = 12;  // enough to hide the latency of 4 cycles twice
constexpr int64_t kRounds = 1'000'000;

// Runs kRounds multiply-adds on each chain; the result keeps the compiler from leaving them out.
float chains(float start) {
  Vector x[kChains];
  for (int c = 0; c < kChains; ++c) x[c] = Vector{} + start + float(c);
  const Vector a = Vector{} + 0.999f, b = Vector{} + 0.001f;
  for (int64_t i = 0; i < kRounds; ++i) {
#pragma GCC unroll 12  // keeps the chains in registers
    for (int c = 0; c < kChains; ++c) x[c] = x[c] * a + b;
  }
  Vector sum{};
  for (int c = 0; c < kChains; ++c) sum += x[c];
  return sum[0];
}

constexpr double kChainFlops = 2.0 * kLanes * kChains * kRounds;

constexpr int64_t kTileRounds = 3000, kLength = 64;  // pairs

template <class Tile> float bf16_tiles(float start) {
  Pair a[Tile::kRows * kPairRowStep], panel[Tile::kWidth * kLength];
  std::fill(std::begin(a), std::end(a), pair_of(start, 0.001f));
  std::fill(std::begin(panel), std::end(panel), pair_of(0.001f, start));
  float c[Tile::kRows * Tile::kWidth];
  typename Tile::Runner run(/*a_transposed=*/false);
  for (int64_t i = 0; i < kTileRounds; ++i) {
    run(Tile::kRows, c, Tile::kWidth, a, panel, kLength, Write::assign);
  }
  return c[0];
}
template <class Tile>
constexpr double kTileFlops = 4.0 * Tile::kRows* Tile::kWidth* kLength* kTileRounds;

// Operations a second where each of the threads calls work(some number), which does `flops`.
template <class Work> double rate(Work work, double flops) {
  const int threads = num_threads();
  std::vector<float> results(size_t{16} * threads);  // one cache line a thread
  double best = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  for (int run = 0; run < 100 && std::chrono::steady_clock::now() < end; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    parallel_for(threads, [&](int64_t i) { results[16 * i] = work(float(i)); });
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    best = std::max(best, flops * threads / seconds.count());
  }
  return best;
}

}  // namespace

double measure_peak() {
  if (matmul() != Matmul::bf16) return rate(chains, kChainFlops);
  double result = 0;
  with_bf16_tile([&](auto tile) {
    using Tile = decltype(tile);
    result = rate(bf16_tiles<Tile>, kTileFlops<Tile>);
  });
  return result;
}

}  // namespace heed::cpu
