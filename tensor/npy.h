// NumPy's files of one array (numpy.lib.format, versions 1 to 3).
#pragma once

#include <string>

#include "tensor/tensor.h"

namespace heed {

// Reads an array of numbers to the CPU: floats of 16 to 64 bits, booleans and integers, which
// become f32, f64 or i32; of either order of axes. Nothing in the file is trusted, and memory stays
// within four times its size. Throws DataError "path: not a usable .npy file: rule", and where an
// integer does not fit into 32 bits.
[[nodiscard]] Tensor load_npy(const std::string& path);

// Writes the file atomically, for numpy.load().
void save_npy(const std::string& path, const Tensor& tensor);

}  // namespace heed
