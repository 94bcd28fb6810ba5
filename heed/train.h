// The command that trains a system.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "dialog/system.h"

namespace heed {

// Declares it below `parent`. `was`: the command has this name since earlier versions, and says
// that `heed train` has another one now.
CLI::App* add_training(CLI::App& parent, const std::string& name, const System& system,
                       const std::string& was = "");

}  // namespace heed
