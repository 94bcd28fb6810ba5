// The program's options without its commands.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "heed/app.h"
#include "tensor/error.h"

namespace heed::fuzz {

inline void do_nothing(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    command->callback({});
    do_nothing(*command);
  }
}

inline void parse_options(std::vector<std::string> arguments) {
  const auto app = make_app();
  do_nothing(*app);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants it
  try {
    app->parse(arguments);
  } catch (const CLI::ParseError&) {
  } catch (const UsageError&) {
  }
}

}  // namespace heed::fuzz
