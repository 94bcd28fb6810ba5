// Sums of many numbers. 16 terms at a time are added in T, and these partial sums in f64: the error
// of an f32 sum stays below 16 / 2 + 1 roundings, 5e-7 of the sum of the magnitudes, however many
// terms there are, and hardly a term costs a conversion. A plain f32 sum of a million equal numbers
// is wrong in the third digit, and from 2^24 terms on it no longer grows.
#pragma once

#include <cstdint>

#include "tensor/kernels/kernel.h"

namespace heed {

constexpr int kTerms = 16;  // summed in T
// Up to so many terms some ops add one after the other in T, which is faster.
constexpr int64_t kManyTerms = 4096;

// A sum whose terms come one by one, for a thread of a GPU.
template <class T> class LongSum {
 public:
  HEED_HD void add(T x) {
    part_ += x;
    if (++terms_ % kTerms > 0) return;
    total_ += part_;
    part_ = 0;
  }
  HEED_HD double total() const { return total_ + part_; }

 private:
  double total_ = 0;
  T part_ = 0;
  int terms_ = 0;
};

}  // namespace heed
