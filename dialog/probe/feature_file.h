// Representations on disk. A directory holds, for each part (train, test, perhaps valid),
//   PART.safetensors   a tensor x (n, d), f32 (F16, BF16 and F64 are read too)
//   PART.jsonl[.gz]    the labels of the same n examples, in the same order (label_file.h)
// so that encoders from elsewhere can be probed.
#pragma once

#include <string>

#include "dialog/probe/probe.h"

namespace heed::probe {

// Throws DataError with the file and the rule.
Part read_part(const std::string& directory, const std::string& part);
// Writes PART.safetensors and PART.jsonl, each atomically.
void write_part(const std::string& directory, const std::string& part, const Part& features);

}  // namespace heed::probe
