// The numbers of the paper, from data/paper-tables.json, which is compiled in.
#pragma once

#include "experiment/results.h"

namespace heed {

struct PaperTable {
  MainTable table;
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
  ClaimResult paper, ours;
};
std::vector<Claim> check_claims(const MainTable& ours);

}  // namespace heed
