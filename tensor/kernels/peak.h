#pragma once

namespace heed::cpu {

// The multiply-add peak of this machine in floating-point operations a second (two for each
// multiply-add), with the threads of num_threads(): the best of several runs of some milliseconds.
// What GEMM is measured against. In f32 independent chains of multiply-adds in registers; where
// products are of bf16 (matmul()) tiles of them whose factors are in the L1 cache.
double measure_peak();

}  // namespace heed::cpu
