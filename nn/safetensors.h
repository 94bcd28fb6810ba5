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

// Reads all tensors to the CPU: F16, BF16 and F32 become f32, F64 f64, BOOL and integers i32.
// Nothing in the file is trusted: sizes, offsets and names are checked before anything is
// allocated, and memory stays within four times the file's size. Throws DataError "path: rule",
// also where an integer does not fit into 32 bits.
[[nodiscard]] TensorMap load_tensors(const std::string& path);

// Writes the file atomically (see AtomicFile). Names keep the order of the vector.
struct NamedTensor {
  std::string name;
  Tensor tensor;
  std::vector<std::string> aliases = {};  // further names, which are not written
};
void save_tensors(const std::string& path, const std::vector<NamedTensor>& tensors,
                  const std::map<std::string, std::string>& metadata = {});

// Copies the file's tensors into those of the same names, converted to their f32 or f64 and their
// device. The file may have a tensor under its name, an alias, or several of them with the same
// values. Throws DataError, and changes nothing, where one is missing, has another shape, is of
// whole numbers on one side only, differs from its alias, or the file holds others.
void load_into(const std::string& path, const std::vector<NamedTensor>& targets);

// The parameters of a module, by their names in it; the tensors are the module's own. A tied one
// is there once. Throws UsageError for a blank one.
[[nodiscard]] std::vector<NamedTensor> parameter_tensors(Module& module);
void save_parameters(const std::string& path, Module& module);
void load_parameters(const std::string& path, Module& module);  // load_into() of all of them

}  // namespace heed
