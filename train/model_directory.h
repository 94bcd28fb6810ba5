// The files that every model's directory must hold: config.json, vocab.txt, model.safetensors. A
// run's directory (train/run_directory.h) is one as soon as an epoch is finished.
#pragma once

#include <string>

namespace heed {

// Throws DataError if a directory holds no model, or none yet; the message says what it holds.
void check_is_model(const std::string& directory);

// The path of the weights of a model with `parameters` parameters (f32). Throws DataError if the
// file is too small for them, so that no more memory is allocated than the files account for.
std::string weights_of(const std::string& directory, double parameters);

// Throws UsageError if the parameters, their gradients and the two moments of Adam, f32 each, would
// not fit into usable_memory(). Call it before anything is allocated.
void check_memory(double parameters);

}  // namespace heed
