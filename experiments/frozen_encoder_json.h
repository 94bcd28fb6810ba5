// An encoder that an experiment measures as it is, beside what it trains (--pretrained).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace heed {

constexpr char kPretrainedFile[] = "pretrained.json";  // says whose rows the folder has

// Of an encoder's weights: which one it is.
uint32_t checksum_of(const std::string& encoder);

// The name of its directory.
std::string encoder_name(const std::string& encoder);

// pretrained.json of a folder of runs: `about` and the checksum of the encoder's weights. Throws
// UsageError where the folder has rows of another one, so that no table mixes two.
void keep_encoder(const std::string& out, const std::string& encoder, nlohmann::ordered_json about);

}  // namespace heed
