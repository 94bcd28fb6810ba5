#include "experiments/engine/report/claims.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "experiments/engine/report/estimate_json.h"
#include "train/number_json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

std::string verdict(const ClaimResult& result, const char* missing) {
  if (result.holds) return (*result.holds ? "**holds**: " : "does not hold: ") + result.figure;
  return result.figure.empty() ? missing : "undecided: " + result.figure;
}

std::string to_markdown(const Claims& claims, const std::string& note) {
  const bool paper = claims.has_paper();
  std::string text = paper ? "## The paper's claims" : "## Claims";
  text += "\n\n" + note + (paper ? "\n\n| the paper says |" : "\n\n| claim |");
  std::string line = "\n| --- |";
  for (const std::string& kind : claims.kinds) {
    text += " here, " + kind + " |";
    line += " --- |";
  }
  text += (paper ? " in the paper's own table |" + line + " --- |" : line) + "\n";
  for (const Claim& claim : claims.claims) {
    text += "| " + claim.text + " (" + claim.rule + ") |";
    for (const ClaimResult& result : claim.ours) text += " " + verdict(result, kNoRun) + " |";
    text += paper ? " " + verdict(claim.paper, kNotPrinted) + " |\n" : "\n";
  }
  return text;
}

Json to_json(const ClaimResult& result) {
  return {{"holds", or_null(result.holds)}, {"figure", result.figure}};
}

}  // namespace

bool Claims::has_paper() const {
  return std::any_of(claims.begin(), claims.end(),
                     [](const Claim& claim) { return !claim.paper.figure.empty(); });
}

ClaimResult is_below(const std::optional<Estimate>& difference, int digits) {
  if (!difference) return {};
  const auto [low, high] = difference->interval;
  ClaimResult result{{}, interval_text(difference, digits)};
  if (difference->clusters == 1) return result;  // which says nothing of others
  if (high < 0) result.holds = true;
  if (low > 0) result.holds = false;
  return result;
}

Claims check_claims(const std::vector<ClaimRule>& rules, const VariantNumbers& paper,
                    const std::vector<ClaimNumbers>& ours) {
  Claims claims;
  for (const ClaimNumbers& kind : ours) claims.kinds.push_back(kind.kind);
  for (const ClaimRule& rule : rules) {
    Claim claim{rule.claim, rule.rule, rule.check(paper), {}};
    for (const ClaimNumbers& kind : ours) claim.ours.push_back(rule.check(kind.numbers));
    claims.claims.push_back(std::move(claim));
  }
  return claims;
}

void save_claims(const std::string& folder, const Claims& claims, const std::string& note) {
  Json json = Json::array();
  for (const Claim& claim : claims.claims) {
    Json one = {{"claim", claim.text}, {"rule", claim.rule}};
    for (size_t k = 0; k < claims.kinds.size(); ++k) {
      one[claims.kinds[k]] = to_json(claim.ours.at(k));
    }
    one["paper"] = to_json(claim.paper);
    json.push_back(std::move(one));
  }
  make_directory(folder);
  const std::string path = (std::filesystem::path(folder) / "claims").string();
  write_file(path + ".md", to_markdown(claims, note));
  write_file(path + ".json", json.dump(1) + "\n");
}

}  // namespace heed
