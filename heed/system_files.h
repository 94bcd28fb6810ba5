// Files for the operating system, made from the help: the manual page, and the script with which a
// shell completes commands and options.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace heed {

// heed(1), in the man macros of roff: every command with its options and examples.
std::string man_page(const CLI::App& app);

// A script for bash, zsh or fish that completes commands, options and the values of an option, and
// file names after other options. Throws UsageError for another shell.
std::string completion(const CLI::App& app, const std::string& shell);

}  // namespace heed
