// What generators respond to the passages of the test parts. It is made once for a folder, by
// whoever needs it first, and judged by every classifier:
//   OUT/generated/GENERATOR/CORPUS.jsonl   {"id": PASSAGE, "response": "..."}, a line for each
//   OUT/generated/GENERATOR/CORPUS.json    how good they are, and where the generator looks
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "experiments/adversarial/settings.h"

namespace heed {

// The weights of a run of a response model. Throws DataError where there is no such run.
std::string generator_weights(const std::string& run);

std::string responses_path(const std::string& out, const std::string& generator,
                           const std::string& corpus);

// Makes what is not there yet. Workers begin at different places, so that they share the work: this
// one at place `first`, in whatever order. Results do not depend on it.
void make_generated(const std::string& out, const AdversarialSettings& settings,
                    const AdversarialData& data, size_t first, Device device,
                    const OnMeasuring& progress);

// CORPUS.json of each generator, by name: {"structure", "responses", "kept", "distinct_1",
// "distinct_2", "mean_length", "das_ratio"}. kept: those that may stand in a passage's place
// (dialog/discriminate/responses_file.h); das_ratio (random:1.0) is null of a model without
// attention. Throws DataError for a file that is none.
nlohmann::ordered_json generators_json(const std::string& out, const AdversarialSettings& settings,
                                       size_t corpus);

}  // namespace heed
