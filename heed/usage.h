// Explains an error in a command line, in one line that suggests the intended word.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "base/error.h"

namespace heed {

// The word that was probably meant: a candidate that begins with it, or is a few edits away (a
// letter more, less or replaced, two swapped). Empty if there is none.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);
// "; did you mean --limit?", or nothing.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates,
                         const std::string& quote = "");

// "expected f32, f64 or both, got 'f23'; did you mean f32?"
std::string expected_one_of(const std::vector<std::string>& words, const std::string& got);

std::vector<std::string> command_names(const CLI::App& app);     // of its sub-commands
std::vector<std::string> option_names(const CLI::App& command);  // the long ones, "--limit"
std::string full_name(const CLI::App& command);                  // "heed prepare ubuntu"
// "there is no command 'tran'; did you mean 'train'?", or what commands there are.
std::string no_such_command(const CLI::App& app, const std::string& word);

// One line about the error that CLI11 found, with the command whose --help explains more.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error);
// What the command that ran says of an option, with the line of the --config file that it came
// from. A library names a setting without the dashes: "lists: expected ..." becomes "--lists: ...".
// A file that has the name of an option keeps it.
std::string usage_message(const CLI::App& app, const UsageError& error);

}  // namespace heed
