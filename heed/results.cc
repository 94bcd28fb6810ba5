#include "heed/results.h"

#include <cstdio>

namespace heed {

using Json = nlohmann::ordered_json;

std::string results_table(const std::vector<TestSetResult>& results) {
  std::string table =
      "test set         perplexity  DAS ratio  AS distr.  AS history  AS first  AS last  "
      "dialogues\n";
  const auto percent = [](const std::optional<double>& v) {
    char text[16] = "-";
    if (v) std::snprintf(text, sizeof text, "%.1f%%", 100 * *v);
    return std::string(text);
  };
  for (const TestSetResult& r : results) {
    const ScoreSummary& s = r.summary;
    char ratio[16] = "-", line[200];
    if (s.das_ratio) std::snprintf(ratio, sizeof ratio, "%.3f", *s.das_ratio);
    std::snprintf(line, sizeof line, "%-16s %10.2f %10s %10s %11s %9s %8s %10ld\n", r.name.c_str(),
                  s.perplexity, ratio, percent(s.as_distraction).c_str(),
                  percent(s.as_history).c_str(), percent(s.as_first).c_str(),
                  percent(s.as_last).c_str(), static_cast<long>(s.dialogues));
    table += line;
  }
  return table;
}

JsonOutput::JsonOutput(const std::string& path) : to_stdout_(path == "-") {
  if (!path.empty() && !to_stdout_) file_.emplace(path);
}

void JsonOutput::write(const Json& json) {
  const std::string text = json.dump(1) + "\n";
  if (to_stdout_) std::fputs(text.c_str(), stdout);
  if (!file_) return;
  file_->write(text);
  file_->commit();
}

}  // namespace heed
