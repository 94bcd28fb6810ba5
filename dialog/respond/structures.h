#pragma once

#include <memory>
#include <string>

#include "dialog/respond/responder.h"

namespace heed {

// A blank model of the structure, to be loaded; or one with initial weights. Both throw UsageError
// for invalid sizes.
std::unique_ptr<Responder> make_responder(const ModelConfig& config);
std::unique_ptr<Responder> make_responder(const ModelConfig& config, uint64_t seed);

// The number of its parameters, counted before any is allocated.
double parameter_count(const ModelConfig& config);

// Whether a model of this form has a parameter whose name matches the pattern (nn/module.h),
// whatever its sizes.
bool has_parameter(ModelConfig config, const std::string& pattern);

// The width of its tables of words: of a transformer that of its layers.
int64_t word_width(const ModelConfig& config);
// Throws DataError unless the word vectors of the file, which have `width` numbers, fit these.
void check_word_vectors(const std::string& path, int64_t width, const ModelConfig& config);

}  // namespace heed
