#include "tensor/kernels/peak.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tensor/parallel.h"

namespace heed::cpu {
namespace {

#if defined(__AVX512F__)
constexpr int kBytes = 64;
#elif defined(__AVX__)
constexpr int kBytes = 32;
#else
constexpr int kBytes = 16;
#endif
typedef float Vector __attribute__((vector_size(kBytes)));
constexpr int kLanes = kBytes / 4, kChains = 12;  // enough to hide the latency of 4 cycles twice
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

}  // namespace

double measure_peak() {
  const int threads = num_threads();
  std::vector<float> results(size_t{16} * threads);  // one cache line a thread
  double best = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  for (int run = 0; run < 100 && std::chrono::steady_clock::now() < end; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    parallel_for(threads, [&](int64_t i) { results[16 * i] = chains(float(i)); });
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    best = std::max(best, 2.0 * kLanes * kChains * kRounds * threads / seconds.count());
  }
  return best;
}

}  // namespace heed::cpu
