// Element types of files (safetensors, .npy), and the tensors that are read from them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tensor/tensor.h"

namespace heed {

// Tensors are f32, f64 or i32. Files are read into the type that holds their values: f16 and bf16
// become f32, integers and booleans i32; larger integers must fit into 32 bits.
enum class Stored : uint8_t { f16, bf16, f32, f64, boolean, i8, u8, i16, u16, i32, u32, i64, u64 };

int64_t size_of(Stored type);  // the size of an element in bytes
DType dtype_of(Stored type);   // the element type of the tensor

// A tensor on the CPU made of shape.numel() little-endian elements. Throws DataError
// "what: element 3 is 5000000000, which does not fit into 32 bits".
Tensor tensor_of(std::string_view bytes, Stored type, Shape shape, const std::string& what);

}  // namespace heed
