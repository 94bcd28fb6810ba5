// What a directory of a model must hold, whatever the model is: config.json, vocab.txt,
// model.safetensors. That of a run (train/run_directory.h) is one once an epoch is finished.
#pragma once

#include <string>

namespace heed {

// Throws DataError, with what is there instead, where a directory holds no model, or none yet.
void check_is_model(const std::string& directory);

// The path of the weights of a model with so many parameters (f32). Throws DataError where the file
// is too small for them: nothing is allocated that the directory's own files do not account for.
std::string weights_of(const std::string& directory, double parameters);

// Throws UsageError where so many parameters, their gradients and the two moments of Adam, f32 each,
// would not fit into the memory that there is (usable_memory()), before anything is allocated.
void check_memory(double parameters);

}  // namespace heed
