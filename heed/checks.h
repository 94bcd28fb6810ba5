// Checks of option values whose messages name the expected value: "expected a number from 0 to 1,
// got '70%'".
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "train/setting.h"

namespace heed {

CLI::Validator whole_number(int64_t low, int64_t high);  // both included
CLI::Validator number(double low, double high);          // both included
CLI::Validator number_of(const Setting& setting);        // within its bounds
// One of these words. --help lists them if they are few.
CLI::Validator one_of(const std::vector<std::string>& words);

// A file, where standard output, which other options call -, will not do.
CLI::Validator a_file();

// Checks every numeric option of the commands: the whole value must be a number. CLI11 itself reads
// -1 as a large unsigned number, and truncates a number that is too large.
void check_numbers(CLI::App& app);

// Makes every command refuse, before it begins, to overwrite its inputs (an --out, --json or --html
// that is the file of another option, or a file of a model or of a data directory) and to write two
// outputs into one file; and empty paths.
void protect_files(CLI::App& app);

// Refuses options that a command like `heed train gaps` passes on to the one that it belongs to,
// `heed train`, which does not run. Before a config file is read: its [train] is for others.
void refuse_options_of_others(const CLI::App& app);

}  // namespace heed
