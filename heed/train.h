// The command that trains a system.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "dialog/system.h"

namespace heed {

// Declares the command below `parent`. `was`: the name that the command had in earlier versions; it
// says that `heed train` has another one now.
CLI::App* add_training(CLI::App& parent, const std::string& name, const System& system,
                       const std::string& was = "");

}  // namespace heed
