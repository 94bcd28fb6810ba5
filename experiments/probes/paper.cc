#include "experiments/probes/paper.h"

#include <map>
#include <nlohmann/json.hpp>

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

// 75 KB, although clang warns that the standard promises only 64.
#pragma GCC diagnostic ignored "-Woverlength-strings"
constexpr char kText[] =
#include "probe_tasks.inc"
    ;

// Our name of a row of the paper's tables.
std::string row_of(const std::string& printed) {
  static const std::map<std::string, std::string> kCheckpointRows = {
      {"Untrained", "untrained"}, {"LastEpoch", "last"}, {"BestBLEU", "best"}};
  for (const auto& [choice, metric] : choices()) {
    if (metric == printed) return choice;
  }
  return kCheckpointRows.at(printed);
}

// [mean, what is printed behind it], in percent
void set_pair(VariantNumbers& numbers, size_t variant, const std::string& key, const Json& pair) {
  numbers.set(variant, key, 0.01 * pair.at(0).get<double>());
  numbers.set(variant, key + kPrintedSpread, 0.01 * pair.at(1).get<double>());
}

void read_tables(const Json& tables, const std::string& probe, ProbePaper& paper) {
  for (const auto& [name, json] : tables.items()) {
    PaperTable table{std::stoi(name.substr(5)), probe, json.at("dataset").get<std::string>(),
                     json.at("columns").get<std::vector<std::string>>()};
    for (size_t v = 0; v < kPaperModels; ++v) {
      for (const auto& [row, cells] : json.at("cells").at(probed_names()[v].name).items()) {
        for (const auto& [task, pair] : cells.items()) {
          set_pair(paper.numbers.numbers, v, paper_key(probe, table.corpus, row_of(row), task),
                   pair);
        }
      }
    }
    paper.tables.push_back(std::move(table));
  }
}

void read_others(const Json& json, VariantNumbers& numbers) {
  const auto set = [&](size_t variant, const char* key, const Json& number) {
    numbers.set(variant, key, number.get<double>());
  };
  for (size_t v = 0; v < kPaperModels; ++v) {
    const std::string model = probed_names()[v].name;
    set(v, "parameters", json.at("table3_parameters_million").at(model));
    for (const char* corpus : kCorpora) {
      set_pair(numbers, v, bleu_key(corpus), json.at("table4_bleu").at(model).at(corpus));
    }
    for (const char* level : kLevels) {
      set_pair(numbers, v, table8_key(level),
               json.at("table8_difficulty").at("cells").at(model).at(level));
    }
  }
  const Json& people = json.at("human_evaluation");
  set(probed::kBilstmAttention, "ties.mean", people.at("tie_share_mean_about"));
  set(probed::kBilstmAttention, "ties.highest", people.at("tie_share_max_below"));
  for (const Json& claim : json.at("claims")) {
    if (claim.at("id") != "pca") continue;
    set(probed::kTransformer, "width.untrained", claim.at("published_numbers").at(0));
    set(probed::kTransformer, "width.last", claim.at("published_numbers").at(1));
  }
}

ProbePaper read() {
  const Json json = Json::parse(kText);
  ProbePaper paper{{{}, "data/probe-tasks.json"}, {}};
  read_tables(json.at("logistic_probe"), "logistic", paper);
  read_tables(json.at("mlp_probe"), "mlp", paper);
  read_tables(json.at("selection_metric"), "selection", paper);
  read_others(json, paper.numbers.numbers);
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
    sum += probe_paper()
               .numbers.numbers.get(rnn, paper_key("logistic", "MultiWOZ", "untrained", task))
               .value();
  }
  const double mean = sum / kRnnModels;
  return mean > 0.5 ? "easy" : mean > 0.25 ? "medium" : "hard";
}

std::optional<Spread> level_of(const VariantNumbers& numbers, size_t variant,
                               const std::string& checkpoint, const std::string& level) {
  std::vector<double> scores;
  for (const std::string& task : tasks_of("MultiWOZ")) {
    if (difficulty_of(task) != level) continue;
    const auto f1 = numbers.get(variant, paper_key("logistic", "MultiWOZ", checkpoint, task));
    if (f1) scores.push_back(*f1);
  }
  return spread(scores);
}

}  // namespace heed
