// Numbers as files have them (safetensors, .npy), and the tensors that they become.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tensor/tensor.h"

namespace heed {

// A tensor has f32, f64 or i32; the others are read into the one of these that holds them: f16 and
// bf16 into f32, whole numbers into i32, where those of 32 and 64 bits must fit.
enum class Stored : uint8_t { f16, bf16, f32, f64, boolean, i8, u8, i16, u16, i32, u32, i64, u64 };

int64_t size_of(Stored type);  // of an element, in bytes
DType dtype_of(Stored type);   // of the tensor

// A tensor on the CPU of little-endian bytes, shape.numel() elements of them. Throws DataError
// "what: element 3 is 5000000000, which does not fit into 32 bits".
Tensor tensor_of(std::string_view bytes, Stored type, Shape shape, const std::string& what);

}  // namespace heed
