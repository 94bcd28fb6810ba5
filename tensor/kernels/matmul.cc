#include "tensor/kernels/matmul.h"

#include <atomic>
#include <string>

#include "base/error.h"

#if defined(__AVX512F__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#ifndef HEED_KERNELS_ISA
#define HEED_KERNELS_ISA "this compiler's default"
#endif

namespace heed::cpu {
namespace {

std::atomic<Matmul> chosen{Matmul::f32};
std::atomic<int64_t> multiply_adds;

#if defined(__AVX512F__) && defined(__linux__)

// Bit `bit` of the register that cpuid gives in place `word` (eax, ebx, ecx, edx) for leaf 7.
bool leaf_7(unsigned subleaf, int word, int bit) {
  unsigned r[4] = {};
  return __get_cpuid_count(7, subleaf, &r[0], &r[1], &r[2], &r[3]) && (r[word] >> bit & 1);
}

// The 8 KiB of AMX's registers are saved for those only who ask (Linux 5.16). Refused where the
// kernel is older, a sandbox forbids it, or a thread's signal stack is too small for them.
bool linux_allows_amx() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

bool has_avx512_bf16() {
  return leaf_7(1, 0, 5);
}
bool has_amx_bf16() {
  // The products, the registers; and factors are packed with AVX512-BF16, which all of them have.
  return leaf_7(0, 3, 22) && leaf_7(0, 3, 24) && has_avx512_bf16();
}

#else

bool linux_allows_amx() {
  return false;
}
bool has_avx512_bf16() {
  return false;
}
bool has_amx_bf16() {
  return false;
}

#endif

Bf16Tile fastest_here() {
  static const Bf16Tile tile =
      fastest_bf16_tile(has_amx_bf16(), has_avx512_bf16(), linux_allows_amx);
  return tile;
}

std::atomic<Bf16Tile>& tile_in_use() {
  static std::atomic<Bf16Tile> tile = fastest_here();
  return tile;
}

}  // namespace

const char* isa() {
  return HEED_KERNELS_ISA;
}

void set_matmul(Matmul precision) {
  chosen = precision;
}

Matmul matmul() {
  return chosen;
}

void count_product(int64_t m, int64_t n, int64_t k) {
  multiply_adds.fetch_add(m * n * k, std::memory_order_relaxed);
}

double product_flops() {
  return 2.0 * static_cast<double>(multiply_adds.load());
}

const char* name_of(Bf16Tile tile) {
  constexpr const char* kNames[] = {"plain", "AVX512-BF16", "AMX"};
  return kNames[static_cast<int>(tile)];
}

Bf16Tile fastest_bf16_tile(bool amx, bool avx512, bool (*amx_permitted)()) {
  if (amx && amx_permitted()) return Bf16Tile::amx;
  return avx512 ? Bf16Tile::avx512 : Bf16Tile::plain;
}

bool has_bf16_tile(Bf16Tile tile) {
  return tile == Bf16Tile::plain || tile == fastest_here() ||
         (tile == Bf16Tile::avx512 && has_avx512_bf16());
}

Bf16Tile bf16_tile() {
  return tile_in_use();
}

void use_bf16_tile(Bf16Tile tile) {
  if (!has_bf16_tile(tile)) {
    throw DeviceError(std::string("products of bf16: this processor has no ") + name_of(tile));
  }
  tile_in_use() = tile;
}

}  // namespace heed::cpu
