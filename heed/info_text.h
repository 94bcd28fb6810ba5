#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace heed {

// A JSON object as text for people: first its numbers and texts, one a line; then each nested
// object below its name, with deeper ones as "data.path"; lists of objects as tables, long ones
// without their middle. Control sequences in the values are shown and have no effect.
std::string info_text(const nlohmann::ordered_json& object, int width);
// One of its values: "0.123457", "yes", the first entries of a list.
std::string value_text(const nlohmann::ordered_json& value);

}  // namespace heed
