#include "experiments/probes/results.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/list.h"
#include "experiments/engine/report/variant_tables.h"
#include "experiments/engine/runs/folder_json.h"
#include "experiments/frozen_encoder_json.h"
#include "train/run_json.h"

namespace heed {
namespace {

MeasuredRuns measured(const std::vector<std::string>& tasks,
                      const std::vector<std::string>& readings) {
  MeasuredRuns m{
      .clusters = "dialogues",
      .values = {"best_epoch", "epochs", "valid_perplexity", "parameters", "responses.bleu2"},
      .comparison = {{}, [](size_t variant) {
                       return variant == probed::kTransformer
                                  ? std::nullopt
                                  : std::optional<size_t>(probed::kTransformer);
                     }}};
  for (const std::string& task : tasks) {
    m.values.insert(m.values.end(), {"constant." + task, "selectivity." + task});
  }
  for (const std::string& reading : readings) {
    for (const std::string& task : tasks) {
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

// Epochs that were chosen with different dialogues, or by different encoders, can neither be
// averaged over seeds nor compared.
void check_choices(const Results& results) {
  struct Same {
    const char *key, *file, *option;
  };
  for (const Same& same : {Same{kChosenBy, "chosen.json", "--choose"},
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

// The tasks and the readings determine the contents of the runs' files.
Findings load_probes(const std::string& folder, ResultsLayout layout) {
  std::vector<std::string> tasks, readings;
  read_kind(folder, layout.kind, [&](const nlohmann::ordered_json& json) {
    tasks = split(json.at("data").at("tasks").get<std::string>(), ',');
    readings = split(json.at("settings").at("readings").get<std::string>(), ',');
  });
  std::optional<ProbedEncoder> encoder;
  if (std::filesystem::exists(in(folder, kPretrainedFile))) {
    read_kind(folder, "pretrained", [&](const nlohmann::ordered_json& json) {
      encoder = {json.at("encoder").get<std::string>(), json.at("layers").get<int>()};
    });
  }
  layout.variants = probed_names(encoder);
  Findings found = load_findings(folder, layout, measured(tasks, readings));
  check_choices(found.results);
  return found;
}

std::vector<std::string> measured_tasks(const Results& results) {
  return split(results.setting("tasks"), ',');
}

std::vector<std::string> measured_readings(const Results& results) {
  return split(results.setting("readings"), ',');
}

std::vector<std::string> readings_by(const Results& results, const std::string& probe) {
  std::vector<std::string> found = measured_readings(results);
  std::erase_if(found, [&](const std::string& r) { return (r == "mlp") != (probe == "mlp"); });
  return found;
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

VariantNumbers claim_numbers(const Results& results, const std::string& reading) {
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
