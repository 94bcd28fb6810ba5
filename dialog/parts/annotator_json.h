// The output of annotators.
#pragma once

#include <nlohmann/json.hpp>

#include "dialog/parts/annotator.h"

namespace heed {

// A line of JSON Lines; its texts need not be valid UTF-8.
inline std::string json_line(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// Reports the progress in a unit.
inline std::function<void(int64_t, int64_t)> reporter(const AnnotateOptions& o, const char* unit) {
  return [report = o.progress, unit](int64_t done, int64_t of) {
    if (report) report(done, of, unit);
  };
}

}  // namespace heed
