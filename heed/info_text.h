#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace heed {

// A JSON object for people: first its numbers and texts, one a line, then each object below its
// name, objects within it as "data.path"; lists of objects as tables, whose middle is left out
// where they are long. What it holds is shown, never obeyed.
std::string info_text(const nlohmann::ordered_json& object, int width);

}  // namespace heed
