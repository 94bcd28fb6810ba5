// The vectors of a pool's texts, kept in the model's directory: pool.safetensors.
#pragma once

#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace heed::retrieve {

constexpr const char* kKeptPool = "pool.safetensors";

// Writes the vectors, f32 (texts, width), and the checksums of the texts and of the model's
// weights.
void keep_vectors(const std::string& model, const std::vector<std::string>& pool,
                  const Tensor& vectors);
// The vectors of these texts by the weights that the model has now; undefined if there are none, or
// if texts or weights are others, which *stale tells. Throws DataError for a file that is damaged.
Tensor kept_vectors(const std::string& model, const std::vector<std::string>& pool, bool* stale);

}  // namespace heed::retrieve
