// What the system keeps beside the program, made from the help: the manual page, and what lets a
// shell complete commands and options.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace heed {

// heed(1), in the man macros of roff: every command with its options and examples.
std::string man_page(const CLI::App& app);

// A script for bash, zsh or fish that completes commands, options, and the words that an option
// takes; behind other options, file names. Throws UsageError for another shell.
std::string completion(const CLI::App& app, const std::string& shell);

}  // namespace heed
