// What the commands of `heed judge` share: judgements of people as files (docs/judgements.md).
#pragma once

#include <CLI/App.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dialog/people/screening.h"

namespace heed {

// Of the commands that read judgements.
struct JudgementFlags {
  std::string judgements, key;
  people::Screening rules;

  void declare(CLI::App& command);  // --judgements
};
void add_key(CLI::App& command, std::string& file, const std::string& remark);  // --key
// --items, with which half are real.
void add_items(CLI::App& command, int64_t& items);

// What was screened away, in lines for people on standard output. Throws DataError if nothing is
// left, with what to do.
void say(const people::Screened& screened);
void require_some(const people::Screened& screened, const std::string& path);

// {"path", "fingerprint"} of a file that was read.
nlohmann::ordered_json source_json(const std::string& path);

// JSON Lines as a text.
std::string json_lines(const std::vector<nlohmann::ordered_json>& lines);

void add_judge_export(CLI::App& judge);
void add_judge_score(CLI::App& judge);
void add_judge_ties(CLI::App& judge);
void add_judge_simulate(CLI::App& judge);

}  // namespace heed
