#include <filesystem>
#include <nlohmann/json.hpp>

#include "experiments/distraction/paper.h"
#include "tensor/file.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

std::string verdict(const ClaimResult& result) {
  if (!result.holds) return "numbers are missing";
  return (*result.holds ? "**holds**: " : "does not hold: ") + result.figure;
}

std::string to_markdown(const std::vector<Claim>& claims) {
  std::string text =
      "## The paper's claims\n\nEach as a rule that is computed: for our numbers by each way to "
      "take "
      "the DAS ratio of a test set (the first is the paper's), and for the paper's own.\n\n| the "
      "paper says |";
  std::string line = "\n| --- |";
  for (const char* kind : kClaimKinds) {
    text += std::string(" here, ") + kind + " |";
    line += " --- |";
  }
  text += " in the paper's own table |" + line + " --- |\n";
  for (const Claim& claim : claims) {
    text += "| " + claim.text + " (" + claim.rule + ") |";
    for (const ClaimResult& result : claim.ours) text += " " + verdict(result) + " |";
    text += " " + verdict(claim.paper) + " |\n";
  }
  return text;
}

Json to_json(const ClaimResult& result) {
  return {{"holds", result.holds ? Json(*result.holds) : Json()}, {"figure", result.figure}};
}

}  // namespace

void save_claims(const std::string& folder, const std::vector<Claim>& claims) {
  Json json = Json::array();
  for (const Claim& claim : claims) {
    Json one = {{"claim", claim.text}, {"rule", claim.rule}};
    for (size_t k = 0; k < std::size(kClaimKinds); ++k) {
      one[kClaimKinds[k]] = to_json(claim.ours.at(k));
    }
    one["paper"] = to_json(claim.paper);
    json.push_back(std::move(one));
  }
  make_directory(folder);
  const std::string path = (std::filesystem::path(folder) / "claims").string();
  write_file(path + ".md", to_markdown(claims));
  write_file(path + ".json", json.dump(1) + "\n");
}

}  // namespace heed
