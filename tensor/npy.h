// NumPy's files of one array (numpy.lib.format, versions 1 to 3).
#pragma once

#include <string>

#include "tensor/tensor.h"

namespace heed {

// Reads an array of little-endian numbers to the CPU: floats of 16 to 64 bits, booleans and
// integers become f32, f64 or i32. C and Fortran order are both read. The file is not trusted: it
// is checked before memory is allocated, which is at most four times the size of the file. Throws
// DataError "path: not a usable .npy file: rule", also for an integer that does not fit into 32
// bits.
Tensor load_npy(const std::string& path);

// Writes the file atomically, for numpy.load(). Throws UsageError for an undefined tensor.
void save_npy(const std::string& path, const Tensor& tensor);

}  // namespace heed
