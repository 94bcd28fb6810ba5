#include "experiments/distraction/paper.h"

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

size_t variant_of(const Json& row) {
  const auto variant =
      find_variant(row.at("structure").get<std::string>(), row.at("insert_prob").get<double>(),
                   row.at("attention_loss").get<bool>());
  check_internal(variant.has_value(), "paper-tables.json names a variant that there is not");
  return *variant;
}

void read_table3_row(const Json& row, PaperTable& paper) {
  const size_t variant = variant_of(row);
  VariantNumbers& numbers = paper.table[variant];
  numbers.perplexity = number_or_null(row.at("perplexity"));
  numbers.history_as = number_or_null(row.at("history_as_percent"), 0.01);
  for (const auto& [set, ratio] : row.at("das_ratio").items()) {
    numbers.das_ratio[set_of(set)] = number_or_null(ratio);
  }
  for (const Json& set : row.value("uncertain", Json::array())) {
    paper.uncertain[variant][set_of(set.get<std::string>())] = true;
  }
}

// Of Tables 4 and 6 the attention scores; their DAS ratios stand in Table 3 as well.
void read_scores(const Json& row, VariantNumbers& numbers) {
  for (const auto& [name, cells] : row.at("sets").items()) {
    if (cells.is_null()) continue;
    const size_t set = set_of(name);
    const auto percent = [&cells = cells](const char* key) {
      return cells.contains(key) ? number_or_null(cells[key], 0.01) : std::nullopt;
    };
    numbers.as_distraction[set] = percent("distraction_as_percent");
    numbers.as_history[set] = percent("history_as_percent");
    numbers.as_first[set] = percent("first_as_percent");
    numbers.as_last[set] = percent("last_as_percent");
  }
}

PaperTable read() {
  const Json json = Json::parse(kText);
  PaperTable paper;
  paper.table.resize(all_variants().size());
  paper.uncertain.resize(all_variants().size());
  for (const Json& row : json.at("table3")) read_table3_row(row, paper);
  for (const char* table : {"table4", "table6"}) {
    for (const Json& row : json.at(table)) read_scores(row, paper.table[variant_of(row)]);
  }
  return paper;
}

}  // namespace

const PaperTable& paper_table() {
  static const PaperTable paper = read();
  return paper;
}

}  // namespace heed
