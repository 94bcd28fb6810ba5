#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace heed {

// A number in JSON: integers without a fraction, null if it is not finite.
inline nlohmann::ordered_json json_number(double value) {
  if (!std::isfinite(value)) return nullptr;
  const bool whole = value == std::round(value) && std::abs(value) < 1e15;
  return whole ? nlohmann::ordered_json(static_cast<int64_t>(value))
               : nlohmann::ordered_json(value);
}

// null where there is none.
template <class T> nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

}  // namespace heed
