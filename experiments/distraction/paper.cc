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

// The key of a number of a test set that the file names.
std::string key_of_set(const std::string& set, const char* number) {
  const auto found = std::find(kTestSets.begin(), kTestSets.end(), set);
  check_internal(found != kTestSets.end(), "paper-tables.json names a test set that there is not");
  return key_of(1 + static_cast<size_t>(found - kTestSets.begin()), number);
}

size_t variant_of(const Json& row) {
  const auto variant =
      find_variant(row.at("structure").get<std::string>(), row.at("insert_prob").get<double>(),
                   row.at("attention_loss").get<bool>());
  check_internal(variant.has_value(), "paper-tables.json names a variant that there is not");
  return *variant;
}

void read_table3_row(const Json& row, VariantNumbers& numbers) {
  const size_t variant = variant_of(row);
  numbers.set(variant, key_of(0, "perplexity"), number_or_null(row.at("perplexity")));
  numbers.set(variant, key_of(0, "as_history"), number_or_null(row.at("history_as_percent"), 0.01));
  for (const auto& [set, ratio] : row.at("das_ratio").items()) {
    numbers.set(variant, key_of_set(set, "das_ratio"), number_or_null(ratio));
  }
  for (const Json& set : row.value("uncertain", Json::array())) {
    numbers.set_doubtful(variant, key_of_set(set.get<std::string>(), "das_ratio"));
  }
}

// Of Tables 4 and 6 the attention scores; their DAS ratios stand in Table 3 as well.
void read_scores(const Json& row, VariantNumbers& numbers) {
  constexpr std::pair<const char*, const char*> kScores[] = {
      {"as_distraction", "distraction_as_percent"},
      {"as_history", "history_as_percent"},
      {"as_first", "first_as_percent"},
      {"as_last", "last_as_percent"}};
  for (const auto& [set, cells] : row.at("sets").items()) {
    if (cells.is_null()) continue;
    for (const auto& [number, key] : kScores) {
      if (!cells.contains(key)) continue;
      numbers.set(variant_of(row), key_of_set(set, number), number_or_null(cells[key], 0.01));
    }
  }
}

PaperNumbers read() {
  const Json json = Json::parse(kText);
  PaperNumbers paper{{}, "data/paper-tables.json"};
  for (const Json& row : json.at("table3")) read_table3_row(row, paper.numbers);
  for (const char* table : {"table4", "table6"}) {
    for (const Json& row : json.at(table)) read_scores(row, paper.numbers);
  }
  return paper;
}

}  // namespace

const PaperNumbers& paper_numbers() {
  static const PaperNumbers paper = read();
  return paper;
}

}  // namespace heed
