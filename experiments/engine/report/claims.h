// The claims of a paper as rows of a list: the claim, the rule that decides when it holds, and a
// function that computes it, for the paper's own numbers and for ours, so that a reader can see
// whether the rule expresses the claim.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/engine/stats/numbers.h"

namespace heed {

struct ClaimResult {
  std::optional<bool> holds = {};  // nothing: undecided, or numbers are missing
  std::string figure = {};         // "4 of 5 structures; median -12.5 %"; empty: they are missing
};
// What stands for a verdict without numbers: of ours, and of the paper.
constexpr const char *kNoRun = "numbers are missing", *kNotPrinted = "not printed";
// "a is below b" from an estimate of a - b: it holds if the 95 % interval is below 0, does not if
// it is above, else, and of one cluster, it is undecided. The figure is "-0.051 [-0.070, -0.032]".
ClaimResult is_below(const std::optional<Estimate>& difference, int digits = 3);

struct ClaimRule {
  std::string claim, rule;
  std::function<ClaimResult(const VariantNumbers&)> check;
};

// Numbers to which the rules are applied: "ratio of means", "mean of ratios", ...
struct ClaimNumbers {
  std::string kind;
  VariantNumbers numbers;
};

struct Claim {
  std::string text, rule;
  ClaimResult paper;
  std::vector<ClaimResult> ours;  // one for each kind
};
struct Claims {
  std::vector<std::string> kinds;
  std::vector<Claim> claims;
  bool has_paper() const;  // whether the paper has numbers for one of them
};
Claims check_claims(const std::vector<ClaimRule>& rules, const VariantNumbers& paper,
                    const std::vector<ClaimNumbers>& ours);

// Writes claims.md, which begins with the note, and claims.json into a folder.
void save_claims(const std::string& folder, const Claims& claims, const std::string& note);

}  // namespace heed
