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

constexpr double kPercent = 0.01;

std::string checkpoint_of(const std::string& printed) {
  static const std::map<std::string, std::string> kNames = {
      {"Untrained", "untrained"}, {"LastEpoch", "last"}, {"BestBLEU", "best"}};
  return kNames.at(printed);
}

// [mean, what is printed behind it]
void set_pair(VariantNumbers& numbers, size_t variant, const std::string& key, const Json& pair) {
  numbers.set(variant, key, kPercent * pair.at(0).get<double>());
  numbers.set(variant, key + kPrintedSpread, kPercent * pair.at(1).get<double>());
}

void read_table(const Json& json, const std::string& probe, const std::string& name,
                ProbePaper& paper) {
  PaperTable table{std::stoi(name.substr(5)), probe, json.at("dataset").get<std::string>(),
                   json.at("columns").get<std::vector<std::string>>()};
  for (const auto& [model, rows] : json.at("cells").items()) {
    for (const auto& [checkpoint, cells] : rows.items()) {
      for (const auto& [task, pair] : cells.items()) {
        set_pair(paper.numbers.numbers, probed_variant(model),
                 claim_key(probe, table.corpus, checkpoint_of(checkpoint), task), pair);
      }
    }
  }
  paper.tables.push_back(std::move(table));
}

void read_selection(const Json& json, const std::string& name, ProbePaper& paper) {
  const auto corpus = json.at("dataset").get<std::string>();
  for (const auto& [model, rows] : json.at("cells").items()) {
    for (const auto& [metric, cells] : rows.items()) {
      for (const auto& [task, pair] : cells.items()) {
        set_pair(paper.numbers.numbers, probed_variant(model), selection_key(metric, corpus, task),
                 pair);
      }
    }
  }
  paper.selections.push_back({std::stoi(name.substr(5)), "logistic", corpus,
                              json.at("columns").get<std::vector<std::string>>()});
}

void read_others(const Json& json, VariantNumbers& numbers) {
  for (const auto& [model, corpora] : json.at("table4_bleu").items()) {
    for (const auto& [corpus, pair] : corpora.items()) {
      set_pair(numbers, probed_variant(model), bleu_key(corpus), pair);
    }
  }
  for (const auto& [model, millions] : json.at("table3_parameters_million").items()) {
    numbers.set(probed_variant(model), "parameters", millions.get<double>());
  }
  for (const auto& [model, levels] : json.at("table8_difficulty").at("cells").items()) {
    for (const auto& [level, pair] : levels.items()) {
      set_pair(numbers, probed_variant(model), table8_key(level), pair);
    }
  }
  const Json& people = json.at("human_evaluation");
  const size_t judged = probed_variant("bilstm-attention"), widest = probed_variant("transformer");
  numbers.set(judged, "ties.mean", people.at("tie_share_mean_about").get<double>());
  numbers.set(judged, "ties.highest", people.at("tie_share_max_below").get<double>());
  for (const Json& claim : json.at("claims")) {
    if (claim.at("id") != "pca") continue;
    numbers.set(widest, "width.untrained", claim.at("published_numbers").at(0).get<double>());
    numbers.set(widest, "width.last", claim.at("published_numbers").at(1).get<double>());
  }
}

ProbePaper read() {
  const Json json = Json::parse(kText);
  ProbePaper paper{{{}, "data/probe-tasks.json"}, {}, {}};
  for (const auto& [key, probe] : {std::pair("logistic_probe", "logistic"), {"mlp_probe", "mlp"}}) {
    for (const auto& [name, table] : json.at(key).items()) read_table(table, probe, name, paper);
  }
  for (const auto& [name, table] : json.at("selection_metric").items()) {
    read_selection(table, name, paper);
  }
  read_others(json, paper.numbers.numbers);
  return paper;
}

}  // namespace

const ProbePaper& probe_paper() {
  static const ProbePaper paper = read();
  return paper;
}

std::string claim_key(const std::string& probe, const std::string& corpus,
                      const std::string& checkpoint, const std::string& task) {
  return probe + "." + corpus + "." + checkpoint + "." + task;
}

std::string bleu_key(const std::string& corpus) {
  return "bleu." + corpus;
}

std::string selection_key(const std::string& metric, const std::string& corpus,
                          const std::string& task) {
  return "selection." + metric + "." + corpus + "." + task;
}

const std::vector<std::pair<std::string, std::string>>& choices() {
  static const std::vector<std::pair<std::string, std::string>> kNames = {
      {"best-bleu", "BLEU"}, {"best-rouge", "F1"}, {"best-meteor", "METEOR"}, {kBestBert, "BERT"}};
  return kNames;
}

std::string table8_key(const std::string& level) {
  return "table8." + level;
}

const std::vector<std::string>& tasks_of(const std::string& corpus) {
  static const std::map<std::string, std::vector<std::string>> kTasks = [] {
    std::map<std::string, std::vector<std::string>> tasks;
    for (const PaperTable& table : probe_paper().tables) {
      if (table.probe != "logistic") continue;
      auto& list = tasks[table.corpus];
      list.insert(list.end(), table.tasks.begin(), table.tasks.end());
    }
    return tasks;
  }();
  return kTasks.at(corpus);
}

std::string difficulty_of(const std::string& task) {
  double sum = 0;
  for (const size_t rnn : rnn_variants()) {
    const auto f1 = probe_paper().numbers.numbers.get(
        rnn, claim_key("logistic", "MultiWOZ", "untrained", task));
    check_internal(f1.has_value(), "a task that the paper's Tables 6 and 7 lack");
    sum += *f1;
  }
  const double mean = sum / static_cast<double>(rnn_variants().size());
  return mean > 0.5 ? "easy" : mean > 0.25 ? "medium" : "hard";
}

std::optional<Spread> level_of(const VariantNumbers& numbers, size_t variant,
                               const std::string& probe, const std::string& checkpoint,
                               const std::string& level) {
  std::vector<double> scores;
  for (const std::string& task : tasks_of("MultiWOZ")) {
    if (difficulty_of(task) != level) continue;
    const auto f1 = numbers.get(variant, claim_key(probe, "MultiWOZ", checkpoint, task));
    if (f1) scores.push_back(*f1);
  }
  return spread(scores);
}

}  // namespace heed
