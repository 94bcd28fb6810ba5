#include "experiments/probes/results.h"

#include <algorithm>

#include "dialog/text/format.h"
#include "experiments/engine/report/variant_tables.h"
#include "experiments/engine/runs/names.h"
#include "experiments/probes/additions.h"
#include "experiments/probes/measurement_json.h"
#include "experiments/probes/paper.h"

namespace heed {
namespace {

ResultsLayout layout(const ProbesResults& named) {
  ResultsLayout layout{
      .kind = kProbesKind,
      .format = kProbesFormat,
      .variants = probed_names(named.encoder),
      .made_by = "heed reproduce probes",
      .additions = {},
      .clusters = "dialogues",
      .values = {"best_epoch", "epochs", "valid_perplexity", "parameters", "responses.bleu2"}};
  for (const auto& addition : additions()) layout.additions.push_back(addition.file);
  for (const std::string& task : named.tasks) {
    layout.values.push_back("constant." + task);
    layout.values.push_back("selectivity." + task);
    for (const std::string& reading : named.readings) {
      for (const char* checkpoint : kCheckpoints) {
        layout.values.push_back(score_key(checkpoint, reading, task));
      }
      for (const char* baseline : kBaselines) {
        layout.values.push_back(baseline_key(baseline, reading, task));
      }
      layout.items.push_back(score_key("best", reading, task, "hits"));
      layout.items.push_back(score_key("best", reading, task, "counted"));
    }
  }
  return layout;
}

// The tasks and the readings determine the contents of the runs' files.
void read_names(const std::string& folder, ProbesResults& results) {
  read_kind(folder, kProbesKind, [&](const nlohmann::json& json) {
    results.tasks = split_names(json.at("data").at("tasks").get<std::string>());
    results.readings = split_names(json.at("settings").at("readings").get<std::string>());
  });
  if (!std::filesystem::exists(in(folder, kPretrainedFile))) return;
  read_kind(folder, "pretrained", [&](const nlohmann::json& json) {
    results.encoder = {json.at("encoder").get<std::string>(), json.at("layers").get<int>()};
  });
}

std::optional<double> mean_of(const Results& results, size_t variant, const std::string& key) {
  return cell_over_seeds(results, variant, key).value;
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

// The width of the representations, relative to the mean of the RNN models.
void add_widths(const Results& results, VariantNumbers& numbers) {
  for (const char* checkpoint : {"untrained", "last"}) {
    const std::string key = std::string("checkpoints.") + checkpoint + ".range";
    std::vector<double> of_rnns;
    for (const size_t rnn : rnn_variants()) {
      if (const auto range = mean_of(results, rnn, key)) of_rnns.push_back(*range);
    }
    const auto rnns = spread(of_rnns);
    const size_t transformer = probed_variant("transformer");
    const auto range = mean_of(results, transformer, key);
    if (!rnns || !range || !(rnns->mean > 0)) continue;
    numbers.set(transformer, std::string("width.") + checkpoint, *range / rnns->mean);
  }
}

}  // namespace

bool ProbesResults::has_reading(const std::string& reading) const {
  return std::find(readings.begin(), readings.end(), reading) != readings.end();
}

std::string ProbesResults::setting_of_choice() const {
  for (const RunResult& run : runs) {
    if (const auto number = run.numbers.value(kChosenOf)) return decimal(*number, 0);
  }
  return "";
}

ProbesResults load_probes_results(const std::string& folder) {
  ProbesResults results;
  read_names(folder, results);
  static_cast<Results&>(results) = load_results(folder, layout(results));
  check_choices(results);
  return results;
}

Inference infer_probes(const ProbesResults& results) {
  std::vector<Measure> measures;
  const size_t transformer = probed_variant("transformer");
  Comparison comparison{{}, [transformer](size_t variant) {
                          return variant == transformer ? std::nullopt : std::optional(transformer);
                        }};
  for (const std::string& reading : results.readings) {
    for (const std::string& task : results.tasks) {
      measures.push_back({score_key("best", reading, task),
                          score_key("best", reading, task, "hits"),
                          score_key("best", reading, task, "counted")});
      comparison.keys.push_back(measures.back().key);
    }
  }
  return {results, measures, comparison};
}

VariantNumbers claim_numbers(const ProbesResults& results, const std::string& reading) {
  VariantNumbers numbers;
  for (size_t v = 0; v < results.variants.size(); ++v) {
    for (const char* corpus : {"MultiWOZ", "PersonaChat"}) {
      for (const std::string& task : tasks_of(corpus)) {
        for (const char* checkpoint : kCheckpoints) {
          numbers.set(v, claim_key("logistic", corpus, checkpoint, task),
                      mean_of(results, v, score_key(checkpoint, reading, task)));
          numbers.set(v, claim_key("mlp", corpus, checkpoint, task),
                      mean_of(results, v, score_key(checkpoint, "mlp", task)));
        }
      }
      for (const auto& [choice, metric] : choices()) {
        for (const std::string& task : tasks_of(corpus)) {
          numbers.set(v, selection_key(metric, corpus, task),
                      mean_of(results, v, chosen_key(choice, reading + "." + task + ".f1")));
        }
      }
      const Cell bleu = cell_over_seeds(results, v, "responses.bleu2");
      numbers.set(v, bleu_key(corpus), bleu.value);
      numbers.set(v, bleu_key(corpus) + kPrintedSpread, bleu.deviation);
    }
  }
  add_widths(results, numbers);
  return numbers;
}

}  // namespace heed
