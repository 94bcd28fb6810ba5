#pragma once

namespace heed::cpu {

// The multiply-add peak of this machine in floating-point operations a second (f32, two for each
// multiply-add), with the threads of num_threads(): independent chains of multiply-adds in
// registers, the best of several runs of some milliseconds. What GEMM is measured against.
double measure_peak();

}  // namespace heed::cpu
