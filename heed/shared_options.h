// Options that several commands share, each under one name and with one text.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace heed {

void add_model(CLI::App& command, std::string& directory);  // --model, required
// --model of commands that take a bundled one where none is given (heed/bundled.h).
void add_model_or_bundled(CLI::App& command, std::string& directory);
void add_accuracy(CLI::App& command, bool& wanted);   // --accuracy, of the next token
void add_json(CLI::App& command, std::string& file);  // --json
void add_html(CLI::App& command, std::string& file, const std::string& remark = "");
// --batch, for commands whose results do not depend on it.
void add_batch(CLI::App& command, int64_t& size);
void add_checkpoint_every(CLI::App& command, double& seconds);
// --structure, the name of one.
CLI::Option* add_structure(CLI::App& command, std::string& name, const std::string& remark = "");

// The parts of a list separated by commas. Throws UsageError for an empty part.
std::vector<std::string> comma_list(const std::string& option, const std::string& text);

// Throws UsageError "--top-k: only applies with --decode sample" if the option was given.
void refuse_given(const CLI::App& command, const std::string& option, const std::string& where);
// The same of all options of a group.
void refuse_group(const CLI::App& command, const std::string& group, const std::string& where);

}  // namespace heed
