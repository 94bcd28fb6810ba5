#include "heed/results.h"

#include <cstdio>

#include "dialog/render_shared.h"

namespace heed {

using Json = nlohmann::ordered_json;

std::string results_table(const std::vector<TestSetResult>& results) {
  std::string table =
      "test set         perplexity  DAS ratio    mean  median  AS distr.  AS history  AS first  "
      "AS last  dialogues\n";
  const auto ratio = [](const std::optional<double>& v) { return v ? decimal(*v, 3) : "-"; };
  const auto percent = [](const std::optional<double>& v) {
    return v ? decimal(100 * *v, 1) + "%" : "-";
  };
  for (const TestSetResult& r : results) {
    const ScoreSummary& s = r.summary;
    char line[200];
    std::snprintf(line, sizeof line, "%-16s %10s %10s %7s %7s %10s %11s %9s %8s %10ld\n",
                  r.name.c_str(), decimal(s.perplexity, 2).c_str(), ratio(s.das_ratio).c_str(),
                  ratio(s.mean_das_ratio).c_str(), ratio(s.median_das_ratio).c_str(),
                  percent(s.as_distraction).c_str(), percent(s.as_history).c_str(),
                  percent(s.as_first).c_str(), percent(s.as_last).c_str(),
                  static_cast<long>(s.dialogues));
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
