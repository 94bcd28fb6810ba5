#include "heed/results.h"

#include <cstdio>
#include <functional>
#include <limits>

#include "base/file.h"
#include "dialog/text/format.h"
#include "dialog/text/terminal.h"
#include "dialog/text/text_file.h"
#include "dialog/text/text_table.h"
#include "heed/messages.h"
#include "heed/provenance.h"
#include "train/run_directory.h"

namespace heed {

namespace {

std::string percent(const std::optional<double>& value) {
  return value ? decimal(100 * *value, 1) + "%" : "-";
}

std::string ratio(const std::optional<double>& value) {
  return value ? decimal(*value, 3) : "-";
}

struct MetricColumn {
  std::string title;
  std::function<std::string(const ScoreSummary&)> cell;
};
const MetricColumn kColumns[] = {
    {"perplexity", [](const ScoreSummary& s) { return decimal(s.perplexity, 2); }},
    {"bits/char", [](const ScoreSummary& s) { return ratio(s.bits_per_character); }},
    {"<unk>", [](const ScoreSummary& s) { return percent(s.unknown_characters); }},
    {"DAS ratio", [](const ScoreSummary& s) { return ratio(s.das_ratio); }},
    {"AS distr.", [](const ScoreSummary& s) { return percent(s.as_distraction); }},
    {"AS history", [](const ScoreSummary& s) { return percent(s.as_history); }},
    {"AS first", [](const ScoreSummary& s) { return percent(s.as_first); }},
    {"AS last", [](const ScoreSummary& s) { return percent(s.as_last); }},
    {"DAS ratio, 2+", [](const ScoreSummary& s) { return ratio(s.das_ratio_long); }},
    {"D > H", [](const ScoreSummary& s) { return percent(s.das_above); }},
    {"D / (D + H)", [](const ScoreSummary& s) { return ratio(s.das_bounded); }},
    {"mean of ratios", [](const ScoreSummary& s) { return ratio(s.mean_das_ratio); }},
    {"median", [](const ScoreSummary& s) { return ratio(s.median_das_ratio); }},
};

std::string count_of(const ScoreSummary& s) {
  return std::to_string(s.dialogues);
}

// The DAS ratio by one head of one layer; without distractions the values of the history.
MetricColumn of_head(const HeadSummary& head, size_t i) {
  return {"layer " + std::to_string(head.layer) + " head " + std::to_string(head.head),
          [i](const ScoreSummary& s) {
            const HeadSummary& h = s.heads[i];
            return h.das_ratio ? ratio(h.das_ratio) : percent(h.as_history);
          }};
}

}  // namespace

std::string results_table(const std::vector<TestSetResult>& results, const std::string& unit,
                          int width) {
  ColumnsOf<TestSetResult> table(results);
  table.add("test set", [](const TestSetResult& r) { return r.name; });
  std::vector<MetricColumn> columns(std::begin(kColumns), std::end(kColumns));
  if (!results.empty() && results[0].summary.accuracy) {
    columns.insert(columns.begin() + 1,
                   {"accuracy", [](const ScoreSummary& s) { return percent(s.accuracy); }});
  }
  columns.push_back({unit, count_of});
  const size_t heads = results.empty() ? 0 : results[0].summary.heads.size();
  for (size_t i = 0; i < heads; ++i) columns.push_back(of_head(results[0].summary.heads[i], i));
  for (const MetricColumn& column : columns) {
    table.add(column.title, [&](const TestSetResult& r) { return column.cell(r.summary); });
  }
  return table.text(width);
}

int results_width() {
  return terminal_columns(stdout).value_or(std::numeric_limits<int>::max());
}

nlohmann::ordered_json to_json(const ScoreSummary& summary, size_t dialogues) {
  nlohmann::ordered_json json = to_json(summary);
  json["dialogues"] = dialogues;
  json["examples"] = summary.dialogues;
  return json;
}

std::string six_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

nlohmann::ordered_json source_json(const std::string& path) {
  return {{"path", path}, {"fingerprint", file_checksum(path)}};
}

std::string json_text(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

JsonOutput::JsonOutput(const std::string& path) : path_(path) {
  if (!path_.empty() && !to_stdout()) check_writable(path_);
}

void JsonOutput::write(const CommandOptions& o, const nlohmann::ordered_json& results,
                       const std::string& dtype) const {
  if (!wanted()) return;
  nlohmann::ordered_json json = {{"heed", provenance(o, dtype)}};
  json.update(results);
  write_text(json_text(json, 1) + "\n");
}

void JsonOutput::write_text(const std::string& text) const {
  if (to_stdout()) {
    print_text(text);
  } else if (wanted()) {
    TextWriter writer(path_);
    writer.write(text);
    writer.commit();
  }
}

}  // namespace heed
