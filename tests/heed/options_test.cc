// All options of all commands: one name, one meaning.
#include "heed/app.h"

#include <CLI/CLI.hpp>
#include <map>
#include <set>

#include "heed/usage.h"
#include "tests/heed/program_helpers.h"

namespace heed {
namespace {

// Every command that does something, by its full name without "heed".
void add_commands(const CLI::App& app, std::map<std::string, const CLI::App*>& found) {
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    if (command_names(*command).empty()) {
      found[full_name(*command).substr(5)] = command;
    } else {
      add_commands(*command, found);
    }
  }
}

class Options : public testing::Test {
 protected:
  Options() { add_commands(*app, commands); }
  const std::unique_ptr<CLI::App> app = make_app();
  std::map<std::string, const CLI::App*> commands;
};

TEST_F(Options, OneNameHasOneMeaning) {
  std::map<std::string, std::map<std::string, std::string>> texts;
  for (const auto& [name, command] : commands) {
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& long_name : option->get_lnames()) {
        texts[long_name][option->get_type_name() + " | " + option->get_description()] += " " + name;
      }
    }
  }
  for (const auto& [name, meanings] : texts) {
    if (meanings.size() == 1) continue;
    printf("--%s\n", name.c_str());
    for (const auto& [text, who] : meanings) printf("   %s: %s\n", who.c_str(), text.c_str());
  }
}

}  // namespace
}  // namespace heed
