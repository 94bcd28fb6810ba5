#include "heed/shared_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/list.h"
#include "dialog/respond/structure.h"
#include "heed/checks.h"
#include "heed/command.h"
#include "train/settings.h"

namespace heed {

void add_model(CLI::App& c, std::string& directory) {
  c.add_option("--model", directory, "Directory of a run or a model")->required();
}

void add_model_or_bundled(CLI::App& c, std::string& directory) {
  c.add_option("--model", directory,
               "Directory of a run or a model (default: the bundled data/models/trained)");
}

void add_accuracy(CLI::App& c, bool& wanted) {
  c.add_flag("--accuracy", wanted,
             "Also measure accuracy: the share of response tokens, ends included, that are the "
             "model's most probable token at their place");
}

void add_json(CLI::App& c, std::string& file) {
  c.add_option("--json", file, "Write the results to this file, - for standard output");
}

void add_html(CLI::App& c, std::string& file, const std::string& remark) {
  c.add_option("--html", file, "Write a web page to this file" + remark)->check(a_file());
}

void add_batch(CLI::App& c, int64_t& size) {
  option(c, "--batch", size, "Dialogues in a batch; changes no result", whole_number(1, kMaxBatch));
}

void add_checkpoint_every(CLI::App& c, double& seconds) {
  option(c, "--checkpoint-every", seconds,
         "Seconds between checkpoints within an epoch; 0: after every step",
         number_of({.least = 0}));
}

CLI::Option* add_structure(CLI::App& c, std::string& name, const std::string& remark) {
  std::vector<std::string> names;
  for (const Structure& s : structures()) names.emplace_back(s.name);
  return option(c, "--structure", name, "The model: " + structure_names() + remark, one_of(names));
}

void refuse_given(const CLI::App& command, const std::string& option, const std::string& where) {
  const CLI::Option* found = command.get_option_no_throw(option);
  if (!found || found->count() == 0) return;
  throw UsageError(option + ": only applies " + where);
}

void refuse_group(const CLI::App& command, const std::string& group, const std::string& where) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group() == group) refuse_given(command, option->get_name(), where);
  }
}

std::vector<std::string> comma_list(const std::string& option, const std::string& text) {
  std::vector<std::string> parts = split(text, ',');
  if (parts.empty()) throw UsageError(option + ": names nothing");
  if (std::find(parts.begin(), parts.end(), "") != parts.end()) {
    throw UsageError(option + ": an empty name in '" + text + "'");
  }
  return parts;
}

}  // namespace heed
