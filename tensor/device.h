#pragma once

#include <cstdint>
#include <string>

namespace heed {

enum class DType : uint8_t { f32, f64, i32 };

inline int64_t size_of(DType dtype) {
  return dtype == DType::f64 ? 8 : 4;
}
const char* name_of(DType dtype);

template <class T> struct DTypeOf;
template <> struct DTypeOf<float> { static constexpr DType value = DType::f32; };
template <> struct DTypeOf<double> { static constexpr DType value = DType::f64; };
template <> struct DTypeOf<int32_t> { static constexpr DType value = DType::i32; };

// Where a tensor lives and where the kernels on it run.
struct Device {
  enum class Kind : uint8_t { cpu, cuda };
  Kind kind = Kind::cpu;
  int index = 0;

  bool is_cuda() const { return kind == Kind::cuda; }
  bool operator==(const Device&) const = default;
  std::string str() const;  // "cpu", "cuda:0"

  // "cpu", "cuda" or "cuda:K". Throws UsageError for other text and DeviceError if this build or
  // this machine has no such device.
  static Device parse(const std::string& text);
};

// The precision of products of f32 matrices. The factors are rounded to fewer bits, and the
// products are summed in f32. The relative error of a factor is at most
//   f32 0    tf32 2^-11 (5e-4)    bf16 2^-8 (4e-3)
// The CPU has f32 and bf16 (tensor/kernels/gemm_bf16.h); tf32 is for CUDA devices.
enum class Matmul : uint8_t { f32, tf32, bf16 };
void set_matmul(Matmul precision);  // for the whole process; the default is f32
Matmul matmul();

}  // namespace heed
