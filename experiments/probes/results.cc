#include "experiments/probes/results.h"

#include <algorithm>

#include "base/list.h"
#include "dialog/text/format.h"
#include "experiments/frozen_encoder_json.h"
#include "experiments/probes/measurement_json.h"

namespace heed {
namespace {

MeasuredRuns measured(const ProbesResults& named) {
  MeasuredRuns m{
      .clusters = "dialogues",
      .values = {"best_epoch", "epochs", "valid_perplexity", "parameters", "responses.bleu2"},
      .comparison = {{}, [](size_t variant) {
                       return variant == probed::kTransformer
                                  ? std::nullopt
                                  : std::optional<size_t>(probed::kTransformer);
                     }}};
  for (const std::string& task : named.tasks) {
    m.values.insert(m.values.end(), {"constant." + task, "selectivity." + task});
  }
  for (const std::string& reading : named.readings) {
    for (const std::string& task : named.tasks) {
      for (const char* checkpoint : {"untrained", "last"}) {
        m.values.push_back(score_key(checkpoint, reading, task));
      }
      for (const char* baseline : kBaselines) {
        m.values.push_back(baseline_key(baseline, reading, task));
      }
      m.measures.push_back({score_key("best", reading, task),
                            score_key("best", reading, task, "hits"),
                            score_key("best", reading, task, "counted")});
      m.comparison.keys.push_back(m.measures.back().key);
    }
  }
  return m;
}

// The tasks and the readings determine the contents of the runs' files.
void read_names(const std::string& folder, const std::string& kind, ProbesResults& results) {
  read_kind(folder, kind, [&](const nlohmann::ordered_json& json) {
    results.tasks = split(json.at("data").at("tasks").get<std::string>(), ',');
    results.readings = split(json.at("settings").at("readings").get<std::string>(), ',');
  });
  if (!std::filesystem::exists(in(folder, kPretrainedFile))) return;
  read_kind(folder, "pretrained", [&](const nlohmann::ordered_json& json) {
    results.encoder = {json.at("encoder").get<std::string>(), json.at("layers").get<int>()};
  });
}

constexpr char kChosenOf[] = "chosen.valid_dialogues";

// Epochs that were chosen with different dialogues, or by different encoders, can neither be
// averaged over seeds nor compared.
void check_choices(const ProbesResults& results) {
  struct Same {
    const char *key, *file, *option;
  };
  for (const Same& same : {Same{kChosenOf, "chosen.json", "--choose"},
                           Same{"judged.valid_dialogues", "judged.json", "--choose"},
                           Same{"judged.encoder", "judged.json", "--judge-encoder"}}) {
    std::optional<double> first;
    for (const RunResult& run : results.runs) {
      const auto number = run.numbers.value(same.key);
      if (!number) continue;
      if (first && *first != *number) {
        throw DataError(results.folder + "/" + source_of(run, same.file) + ": made with another " +
                        same.option +
                        " than the other runs; remove the file, and run heed reproduce probes with "
                        "theirs");
      }
      first = number;
    }
  }
}

}  // namespace

std::string our_key(const PaperTable& table, const std::string& row, const std::string& reading,
                    const std::string& task) {
  if (table.by_choice()) return chosen_key(row, reading + "." + task + ".f1");
  return score_key(row, table.probe == "mlp" ? "mlp" : reading, task);
}

bool ProbesResults::has_task(const std::string& task) const {
  return std::find(tasks.begin(), tasks.end(), task) != tasks.end();
}

std::vector<std::string> ProbesResults::readings_by(const std::string& probe) const {
  std::vector<std::string> found = readings;
  std::erase_if(found, [&](const std::string& r) { return (r == "mlp") != (probe == "mlp"); });
  return found;
}

std::string ProbesResults::setting_of_choice() const {
  for (const RunResult& run : runs) {
    if (const auto number = run.numbers.value(kChosenOf)) return decimal(*number, 0);
  }
  return "";
}

ProbesFound load_probes(const std::string& folder, ResultsLayout layout) {
  ProbesResults results;
  read_names(folder, layout.kind, results);
  layout.variants = probed_names(results.encoder);
  Findings found = load_findings(folder, layout, measured(results));
  static_cast<Results&>(results) = std::move(found.results);
  check_choices(results);
  return {std::move(results), std::move(found.inference)};
}

std::optional<double> mean_of(const Results& results, size_t variant, const std::string& key) {
  return cell_over_seeds(results, variant, key).value;
}

std::optional<double> mean_of_rnns(const Results& results, const std::string& key) {
  std::vector<double> values;
  for (size_t rnn = 0; rnn < kRnnModels; ++rnn) {
    if (const auto value = mean_of(results, rnn, key)) values.push_back(*value);
  }
  const auto mean = spread(values);
  return mean ? std::optional(mean->mean) : std::nullopt;
}

VariantNumbers claim_numbers(const ProbesResults& results, const std::string& reading) {
  VariantNumbers numbers;
  for (size_t v = 0; v < results.variants.size(); ++v) {
    for (const PaperTable& table : probe_paper().tables) {
      for (const std::string& row : table.rows()) {
        for (const std::string& task : table.tasks) {
          numbers.set(v, paper_key(table.probe, table.corpus, row, task),
                      mean_of(results, v, our_key(table, row, reading, task)));
        }
      }
    }
    const Cell bleu = cell_over_seeds(results, v, "responses.bleu2");
    for (const char* corpus : kCorpora) {
      numbers.set(v, bleu_key(corpus), bleu.value);
      numbers.set(v, bleu_key(corpus) + kPlusMinus, bleu.deviation);
    }
  }
  // The width of the transformer's representations, relative to the mean of the RNN models.
  for (const std::string checkpoint : {"untrained", "last"}) {
    const std::string key = "checkpoints." + checkpoint + ".range";
    const auto range = mean_of(results, probed::kTransformer, key),
               of_rnns = mean_of_rnns(results, key);
    if (!range || !of_rnns || !(*of_rnns > 0)) continue;
    numbers.set(probed::kTransformer, "width." + checkpoint, *range / *of_rnns);
  }
  return numbers;
}

}  // namespace heed
