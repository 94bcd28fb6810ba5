// Declarations that the commands of `heed judge` share: people's judgements as files
// (docs/judgements.md).
#pragma once

#include <CLI/App.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dialog/people/screening.h"

namespace heed {

// For the commands that read judgements.
struct JudgementFlags {
  std::string judgements, key;
  people::Screening rules;

  void declare(CLI::App& command);  // --judgements
};
CLI::Option* add_key(CLI::App& command, std::string& file, const std::string& remark);  // --key
// --items, half of them real.
CLI::Option* add_items(CLI::App& command, int64_t& items);

// Prints on standard output how many judgements the screening removed. Throws DataError, with
// advice, if none is left.
void say(const people::Screened& screened);
void require_some(const people::Screened& screened, const std::string& path);

// The rows as JSON Lines.
std::string json_lines(const std::vector<nlohmann::ordered_json>& lines);

void add_judge_export(CLI::App& judge);
void add_judge_score(CLI::App& judge);
void add_judge_ties(CLI::App& judge);
void add_judge_simulate(CLI::App& judge);

}  // namespace heed
