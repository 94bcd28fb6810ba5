#include "experiment/paper.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace heed {
namespace {

using Json = nlohmann::json;

constexpr char kText[] =
#include "paper_tables.inc"
    ;

std::optional<double> number_or_null(const Json& json, double unit = 1) {
  return json.is_null() ? std::nullopt : std::optional(unit * json.get<double>());
}

size_t set_of(const std::string& name) {
  const auto found = std::find(kTestSets.begin(), kTestSets.end(), name);
  check_internal(found != kTestSets.end(), "paper-tables.json names a test set that there is not");
  return static_cast<size_t>(found - kTestSets.begin());
}

PaperTable read() {
  const Json json = Json::parse(kText);
  PaperTable paper;
  paper.table.resize(all_variants().size());
  paper.uncertain.resize(all_variants().size());
  for (const Json& row : json.at("table3")) {
    const auto variant =
        find_variant(row.at("structure").get<std::string>(), row.at("insert_prob").get<double>(),
                     row.at("attention_loss").get<bool>());
    check_internal(variant.has_value(), "paper-tables.json names a variant that there is not");
    VariantNumbers& numbers = paper.table[*variant];
    numbers.perplexity = number_or_null(row.at("perplexity"));
    numbers.history_as = number_or_null(row.at("history_as_percent"), 0.01);
    for (const auto& [set, ratio] : row.at("das_ratio").items()) {
      numbers.das_ratio[set_of(set)] = number_or_null(ratio);
    }
    for (const Json& set : row.value("uncertain", Json::array())) {
      paper.uncertain[*variant][set_of(set.get<std::string>())] = true;
    }
  }
  return paper;
}

}  // namespace

const PaperTable& paper_table() {
  static const PaperTable paper = read();
  return paper;
}

}  // namespace heed
