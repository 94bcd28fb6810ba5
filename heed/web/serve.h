#pragma once

#include <string>
#include <vector>

#include "dialog/respond/decode.h"
#include "tensor/device.h"

namespace heed {

// `heed chat --web`: serves the live page on 127.0.0.1 until a signal ends it, and prints the
// address. Models that rank choose from `pool`, or, if it is empty, from their own pool
// (heed/pool.h). Throws UsageError in a build without a web server, DataError for a directory
// without a model or a port that is taken.
void serve_live_page(const std::vector<std::string>& models, const DecodeOptions& decode,
                     Device device, int port, const std::string& pool);

}  // namespace heed
