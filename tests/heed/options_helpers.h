// All commands of the program and their options.
#pragma once

#include <CLI/CLI.hpp>
#include <map>

#include "heed/app.h"
#include "heed/usage.h"
#include "tests/heed/program_helpers.h"

namespace heed {

// Every command that does something, by its full name without "heed".
inline void add_commands(const CLI::App& app, std::map<std::string, const CLI::App*>& found) {
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    const bool alone = command->get_require_subcommand_min() == 0;  // heed train, heed reproduce
    if (alone) found[full_name(*command).substr(5)] = command;
    add_commands(*command, found);
  }
}

class Options : public testing::Test {
 protected:
  Options() { add_commands(*app, commands); }
  const std::unique_ptr<CLI::App> app = make_app();
  std::map<std::string, const CLI::App*> commands;
};

}  // namespace heed
