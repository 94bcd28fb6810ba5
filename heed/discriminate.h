// What the commands of `heed discriminate` share.
#pragma once

#include <CLI/App.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dialog/discriminate/task.h"

namespace heed {

// What became no passage, and which responses of a file stand in no passage's place.
nlohmann::ordered_json left_out_json(const discriminate::Part& part);

void add_discriminate_test(CLI::App& discriminate);

}  // namespace heed
