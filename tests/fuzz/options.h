// The program's options without its commands.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "heed/app.h"
#include "heed/usage.h"

namespace heed::fuzz {

inline void parse_options(std::vector<std::string> arguments) {
  struct Parsed {};
  const auto app = make_app();
  app->parse_complete_callback([] { throw Parsed(); });  // before any command runs
  std::reverse(arguments.begin(), arguments.end());      // as CLI11 wants it
  try {
    app->parse(arguments);
  } catch (const Parsed&) {
  } catch (const CLI::ParseError& error) {
    usage_message(*app, error);
  } catch (const UsageError&) {
  }
}

}  // namespace heed::fuzz
