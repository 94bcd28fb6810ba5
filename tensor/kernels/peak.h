#pragma once

namespace heed::cpu {

// The multiply-add peak of this machine in floating-point operations per second (two for each
// multiply-add), with num_threads() threads: the best of several runs of some milliseconds each.
// GEMM is measured against it. f32: independent chains of multiply-adds in registers. bf16
// (matmul()): tiles whose factors are in the L1 cache.
double measure_peak();

}  // namespace heed::cpu
