#pragma once

#include <memory>
#include <string>

#include "dialog/respond/responder.h"

namespace heed {

// A blank model of the structure, to be loaded; or one with its first weights. Throw UsageError for
// sizes that make none.
std::unique_ptr<Responder> make_responder(const ModelConfig& config);
std::unique_ptr<Responder> make_responder(const ModelConfig& config, uint64_t seed);

// Numbers that its parameters will hold, counted before any is allocated.
double parameter_count(const ModelConfig& config);

// Whether a model of this form has a parameter whose name fits the pattern (nn/module.h), whatever
// its sizes.
bool has_parameter(ModelConfig config, const std::string& pattern);

}  // namespace heed
