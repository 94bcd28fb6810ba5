// The measures of responses, as heed respond and heed evaluate print and write them.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dialog/respond/responses.h"

namespace heed {

// --responses: whether responses are written and measured, too.
void add_responses(CLI::App& command, bool& wanted);

// A measure beside text_measures(); human responses are not measured against themselves.
struct ExtraMeasure {
  std::string key, title;
  std::function<std::optional<double>(const std::vector<Tokens>& texts, bool human)> value;
};
// extrema_own() against the references; all three must outlive it.
ExtraMeasure extrema_of(const Responder& model, const Vocabulary& vocabulary,
                        const std::vector<Tokens>& references);

// A row of the table.
struct ResponseRow {
  struct Extra {
    std::string key, title;
    std::optional<double> value;
  };
  std::string name;
  std::vector<std::optional<double>> values;  // of text_measures()
  std::vector<Extra> extras;
};
ResponseRow measure_row(const std::string& name, const std::vector<Tokens>& texts,
                        const std::vector<Tokens>& references,
                        const std::vector<ExtraMeasure>& extras, bool human = false);

// As wide as a terminal; the last line is `counted`. All rows have the same extras.
std::string rows_table(const std::vector<ResponseRow>& rows, const std::string& counted);
nlohmann::ordered_json to_json(const ResponseRow& row, size_t examples);

}  // namespace heed
