#pragma once

#include <CLI/App.hpp>
#include <memory>

namespace heed {

// All commands and options of the program. Parsing a command line runs the command.
std::unique_ptr<CLI::App> make_app();

}  // namespace heed
