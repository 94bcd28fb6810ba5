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
// The file is not trusted: sizes, offsets and names are checked before memory is allocated, which
// is at most four times the size of the file. Throws DataError "path: rule", also for an integer
// that does not fit into 32 bits.
[[nodiscard]] TensorMap load_tensors(const std::string& path);

// The element types of a file's tensors as it has them, by name: "bf16". Throws as load_tensors().
[[nodiscard]] std::map<std::string, std::string> stored_types(const std::string& path);

// Writes the file atomically (see AtomicFile). Names keep the order of the vector.
struct NamedTensor {
  std::string name;
  Tensor tensor;
  std::vector<std::string> aliases = {};  // further names, which are not written
};
void save_tensors(const std::string& path, const std::vector<NamedTensor>& tensors,
                  const std::map<std::string, std::string>& metadata = {});

// Copies the file's tensors into the targets of the same names, converted to their element type
// (f32 or f64) and device. The file may hold a tensor under its name, under an alias, or under
// several of them with equal values. Throws DataError, and changes nothing, if a tensor is missing,
// has another shape, is i32 on one side only or differs from its alias, or if the file holds other
// tensors. (One number of i32 also fits "steps" of any size, for files of Adam before version 0.1.)
void load_into(const std::string& path, const std::vector<NamedTensor>& targets);

// The parameters of a module by name; the tensors share the module's memory. A tied parameter is
// listed once. Throws UsageError for a blank one.
[[nodiscard]] std::vector<NamedTensor> parameter_tensors(const Module& module);
void save_parameters(const std::string& path, const Module& module);
// load_into() of all of them. A model that is only loaded, and trained with dropout, needs
// name_parts(), too.
void load_parameters(const std::string& path, Module& module);

}  // namespace heed
