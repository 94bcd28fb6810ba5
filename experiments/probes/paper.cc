#include "experiments/probes/paper.h"

#include <nlohmann/json.hpp>

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

// 95 KB, although clang warns that the standard promises only 64.
#pragma GCC diagnostic ignored "-Woverlength-strings"
constexpr char kText[] =
#include "probe_tasks.inc"
    ;

ProbePaper read() {
  ProbePaper paper{printed_numbers(kText, names_of(probed_names())), {}};
  const Json json = Json::parse(kText);
  for (const Json& table : json.at("tables")) {
    paper.tables.push_back(
        {table.at("number"), table.at("probe"), table.at("corpus"), table.at("tasks")});
  }
  return paper;
}

}  // namespace

const std::vector<std::pair<std::string, std::string>>& choices() {
  static const std::vector<std::pair<std::string, std::string>> kNames = {
      {"best-bleu", "BLEU"}, {"best-rouge", "F1"}, {"best-meteor", "METEOR"}, {kBestBert, "BERT"}};
  return kNames;
}

std::vector<std::string> PaperTable::rows() const {
  if (!by_choice()) return {std::begin(kCheckpoints), std::end(kCheckpoints)};
  std::vector<std::string> rows;
  for (const auto& [choice, metric] : choices()) rows.push_back(choice);
  return rows;
}

const ProbePaper& probe_paper() {
  static const ProbePaper paper = read();
  return paper;
}

std::vector<std::string> tasks_of(const std::string& corpus) {
  std::vector<std::string> tasks;
  for (const PaperTable& table : probe_paper().tables) {
    if (table.probe != "logistic" || table.corpus != corpus) continue;
    tasks.insert(tasks.end(), table.tasks.begin(), table.tasks.end());
  }
  return tasks;
}

std::string difficulty_of(const std::string& task) {
  double sum = 0;
  for (size_t rnn = 0; rnn < kRnnModels; ++rnn) {
    sum += f1_of(probe_paper().numbers, rnn, "MultiWOZ", "untrained", task).value();
  }
  const double mean = sum / kRnnModels;
  return mean > 0.5 ? "easy" : mean > 0.25 ? "medium" : "hard";
}

std::optional<Spread> level_of(const VariantNumbers& numbers, size_t variant,
                               const std::string& checkpoint, const std::string& level) {
  std::vector<double> scores;
  for (const std::string& task : tasks_of("MultiWOZ")) {
    if (difficulty_of(task) != level) continue;
    const auto f1 = f1_of(numbers, variant, "MultiWOZ", checkpoint, task);
    if (f1) scores.push_back(*f1);
  }
  return spread(scores);
}

}  // namespace heed
