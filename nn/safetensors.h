// The safetensors container (github.com/huggingface/safetensors): u64 header length, JSON header
// with name -> {dtype, shape, data_offsets}, raw little-endian data. Loads in Python with the
// `safetensors` package.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "nn/module.h"
#include "tensor/tensor.h"

namespace heed {

using TensorMap = std::map<std::string, Tensor>;

// Reads all tensors (F32, F64, I32) to the CPU. Nothing in the file is trusted: sizes, offsets and
// names are checked before anything is allocated, and memory stays within the file's size. Throws
// DataError "path: rule".
TensorMap load_tensors(const std::string& path);

// Writes the file atomically (see AtomicFile). Names keep the order of the vector.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};
void save_tensors(const std::string& path, const std::vector<NamedTensor>& tensors,
                  const std::map<std::string, std::string>& metadata = {});

// Parameters by their names in the module, stored as f32 or f64, whatever they are.
void save_parameters(const std::string& path, Module& module);
// Throws DataError where a parameter is missing, has another shape, or the file holds others.
void load_parameters(const std::string& path, Module& module);

}  // namespace heed
