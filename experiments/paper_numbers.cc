#include <nlohmann/json.hpp>

#include "experiments/experiment.h"

namespace heed {

static constexpr char kPrinted[] =
#include "printed_numbers.inc"
    ;

VariantNumbers paper_numbers(const std::string& paper, const std::vector<VariantName>& variants) {
  const auto json = nlohmann::ordered_json::parse(kPrinted);
  return printed_numbers(json.at(paper).dump(), names_of(variants));
}

}  // namespace heed
