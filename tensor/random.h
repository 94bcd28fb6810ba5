// Counter-based random numbers: Philox-4x32-10 (Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011). A number is a pure function of (seed, purpose, step, element), so it is the
// same on CPU and CUDA, for any number of threads, and after a resume.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "tensor/kernels/kernel.h"

namespace heed {

struct Philox4 {
  uint32_t x, y, z, w;
};

// Ten rounds of Philox-4x32 on the 128-bit counter with the 64-bit key.
HEED_HD inline Philox4 philox(Philox4 counter, uint64_t key) {
  uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = 0xD2511F53ull * counter.x, b = 0xCD9E8D57ull * counter.z;
    counter = {static_cast<uint32_t>(b >> 32) ^ counter.y ^ k0, static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter.w ^ k1, static_cast<uint32_t>(a)};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return counter;
}

// Names a stream of random numbers. Streams that differ in any field are independent.
struct RandomKey {
  uint64_t seed = 1;
  uint32_t purpose = 0;  // what the numbers are for: purpose_id("dropout.encoder")
  uint64_t step = 0;     // training step or epoch

  // Four random words for the elements 4 * block ... 4 * block + 3.
  HEED_HD Philox4 block(uint64_t block) const {
    return philox({static_cast<uint32_t>(block),
                   static_cast<uint32_t>(block >> 32) ^ static_cast<uint32_t>(step >> 32), purpose,
                   static_cast<uint32_t>(step)},
                  seed);
  }
  HEED_HD uint32_t word(uint64_t element) const {
    const Philox4 r = block(element / 4);
    const uint32_t words[4] = {r.x, r.y, r.z, r.w};
    return words[element % 4];
  }
};

// The FNV-1a hash of a purpose, so that streams have names instead of numbers.
constexpr uint32_t purpose_id(std::string_view name) {
  uint32_t hash = 2166136261u;
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

// Uniform in [0, 1) with 24 bits, exact in f32 and the same number in f64.
HEED_HD inline float uniform01(uint32_t word) {
  return static_cast<float>(word >> 8) * (1.0f / 16777216.0f);
}

// A sequence of numbers from one stream, for host code (shuffling, sampling, drawing distractions).
class Rng {
 public:
  explicit Rng(uint64_t seed, std::string_view purpose = "rng", uint64_t step = 0)
      : key_{seed, purpose_id(purpose), step} {}
  explicit Rng(RandomKey key) : key_(key) {}

  uint32_t next() { return key_.word(counter_++); }
  double uniform() {  // [0, 1) with 53 bits
    const uint64_t high = next() >> 5, low = next() >> 6;
    return static_cast<double>((high << 26) | low) * (1.0 / 9007199254740992.0);
  }
  // Uniform in [0, n), without bias (rejection). 64-bit words. Throws UsageError for n = 0.
  uint64_t below(uint64_t n) {
    if (n == 0) throw UsageError("below: there is no number below 0");
    const uint64_t limit = ~uint64_t{0} - ~uint64_t{0} % n;
    while (true) {
      const uint64_t high = next(), low = next();
      const uint64_t word = (high << 32) | low;
      if (word < limit) return word % n;
    }
  }
  // Fisher-Yates. Unlike std::shuffle, it gives the same order with every standard library.
  template <class Container> void shuffle(Container& items) {
    for (uint64_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  RandomKey key_;
  uint64_t counter_ = 0;
};

}  // namespace heed
