// How this processor multiplies matrices of f32: what `--matmul` chose, and with which
// instructions.
#pragma once

#include "tensor/device.h"

namespace heed::cpu {

// For the whole process; f32 to begin with. tf32 is for GPUs: here it is f32.
void set_matmul(Matmul precision);
Matmul matmul();

// What multiplies pairs of bf16 (tensor/kernels/gemm_bf16.h). All give the same bits.
enum class Bf16Tile : uint8_t { plain, avx512, amx };

const char* name_of(Bf16Tile tile);  // "plain", "AVX512-BF16", "AMX"
// Whether these kernels have it, and this processor and its operating system allow it. Linux is
// asked once for the registers of AMX, for all threads of the process.
bool has_bf16_tile(Bf16Tile tile);
// The fastest of them, until use_bf16_tile() says otherwise, which is for tests and measurements.
// Throws DeviceError for one that is not to be had.
Bf16Tile bf16_tile();
void use_bf16_tile(Bf16Tile tile);
// Out of what the processor has, and whether AMX is permitted, which is asked only if it has it.
Bf16Tile fastest_bf16_tile(bool amx, bool avx512, bool (*amx_permitted)());

}  // namespace heed::cpu
