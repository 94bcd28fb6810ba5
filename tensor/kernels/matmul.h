// How this processor multiplies f32 matrices: the precision that `--matmul` chose, and the
// instructions; and those of all kernels.
#pragma once

#include <cstdint>

#include "tensor/device.h"

namespace heed::cpu {

// The instruction set that the kernels in use were compiled for: "x86-64-v4", "native", ...
const char* isa();

// For the whole process; the default is f32. tf32 is for GPUs: here it means f32.
void set_matmul(Matmul precision);
Matmul matmul();

// The operations of all products since the program began, by any thread, on any device: 2 m n k for
// (m, k) (k, n), and likewise for the scores and sums of attention (whole tiles on the CPU).
void count_product(int64_t m, int64_t n, int64_t k);
double product_flops();

// The instructions that multiply pairs of bf16 (tensor/kernels/gemm_bf16.h). All give the same
// bits.
enum class Bf16Tile : uint8_t { plain, avx512, amx };

const char* name_of(Bf16Tile tile);  // "plain", "AVX512-BF16", "AMX"
// Whether these kernels, this processor and its operating system support it. The first call asks
// Linux for permission to use AMX, for all threads of the process.
bool has_bf16_tile(Bf16Tile tile);
// The fastest supported one, unless use_bf16_tile() chose another, for tests and measurements; it
// throws DeviceError for one that is not supported.
Bf16Tile bf16_tile();
void use_bf16_tile(Bf16Tile tile);
// From what the processor has. Whether AMX is permitted is asked only if the processor has it.
Bf16Tile fastest_bf16_tile(bool amx, bool avx512, bool (*amx_permitted)());

}  // namespace heed::cpu
