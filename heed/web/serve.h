#pragma once

#include <string>
#include <vector>

#include "dialog/respond/decode.h"
#include "tensor/device.h"

namespace heed {

// `heed chat --web`: serves the live page on 127.0.0.1 until a signal ends it, and says where.
// Models that rank choose out of `pool`, or where it is empty out of their own (heed/pool.h).
// Throws UsageError in a build without a web server, DataError for what is no model or a port that
// is taken.
void serve_live_page(const std::vector<std::string>& models, const DecodeOptions& decode,
                     Device device, int port, const std::string& pool);

}  // namespace heed
