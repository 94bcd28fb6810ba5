#include "heed/response_rows.h"

#include "dialog/text/format.h"
#include "dialog/text/measures.h"
#include "dialog/text/text_table.h"
#include "heed/command.h"
#include "heed/results.h"

namespace heed {

void add_responses(CLI::App& c, bool& wanted) {
  c.add_flag("--responses", wanted,
             "Also write the model's greedy responses to the original examples, and measure them "
             "as heed respond does: BLEU, NIST, ROUGE, METEOR, distinct-n and others");
}

ExtraMeasure extrema_of(const Responder& model, const Vocabulary& vocabulary,
                        const std::vector<Tokens>& references) {
  return {"extrema_own", "extrema-own", [&](const std::vector<Tokens>& texts, bool human) {
            return human ? std::nullopt : extrema_own(model, vocabulary, texts, references);
          }};
}

ResponseRow measure_row(const std::string& name, const std::vector<Tokens>& texts,
                        const std::vector<Tokens>& references,
                        const std::vector<ExtraMeasure>& extras, bool human) {
  ResponseRow row{name, measure_texts(texts, references, human), {}};
  for (const ExtraMeasure& extra : extras) {
    row.extras.push_back({extra.key, extra.title, extra.value(texts, human)});
  }
  return row;
}

std::string rows_table(const std::vector<ResponseRow>& rows, const std::string& counted) {
  ColumnsOf<ResponseRow> table(rows);
  table.add("", [](const ResponseRow& row) { return row.name; });
  const auto add = [&](const std::string& title, double factor, int digits, auto value_of) {
    table.add(title, [&](const ResponseRow& row) {
      const std::optional<double> value = value_of(row);
      return value ? decimal(factor * *value, digits) : "-";
    });
  };
  for (size_t i = 0; i < text_measures().size(); ++i) {
    const TextMeasure& m = text_measures()[i];
    add(m.title, m.factor, m.digits, [&](const ResponseRow& row) { return row.values[i]; });
  }
  for (size_t i = 0; i < rows[0].extras.size(); ++i) {
    add(rows[0].extras[i].title, 1, 3, [&](const ResponseRow& row) { return row.extras[i].value; });
  }
  return table.text(results_width()) + counted + "\n";
}

Json to_json(const ResponseRow& row, size_t examples) {
  Json json;
  const auto put = [&](const std::string& key, const std::optional<double>& value) {
    json[key] = value ? Json(*value) : Json();
  };
  for (size_t i = 0; i < row.values.size(); ++i) put(text_measures()[i].key, row.values[i]);
  for (const ResponseRow::Extra& extra : row.extras) put(extra.key, extra.value);
  json["examples"] = examples;
  return json;
}

}  // namespace heed
