// The numbers of the paper, from data/paper-tables.json, which is compiled in.
#pragma once

#include "experiments/distraction/results.h"

namespace heed {

struct PaperTable {
  MainTable table;  // das_ratio of Table 3, the AS of the distracting sets of Tables 4 and 6
  // [variant][set]: the reading of the scan is doubtful
  std::vector<std::array<bool, 9>> uncertain;
};
const PaperTable& paper_table();

// A claim of the paper as a rule that is computed for its own numbers and for ours.
struct ClaimResult {
  std::optional<bool> holds = {};  // nothing: numbers are missing
  std::string figure = {};         // "4 of 5 structures; median -12.5 %"
};
struct Claim {
  std::string text, rule;
  ClaimResult paper;
  std::vector<ClaimResult> ours;  // one for each table
};
std::vector<Claim> check_claims(const std::vector<MainTable>& ours);

// For our numbers by each kind of DAS ratio, in this order: as published, and the mean and the
// median of the dialogues' ratios.
constexpr const char* kClaimKinds[] = {"ratio of means", "mean of ratios", "median of ratios"};
std::vector<Claim> check_claims(const Results& results);

// Writes claims.md and claims.json, of those kinds, into the folder of the tables.
void save_claims(const std::string& folder, const std::vector<Claim>& claims);

}  // namespace heed
