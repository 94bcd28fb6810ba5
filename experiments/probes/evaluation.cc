#include "experiments/probes/evaluation.h"

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "dialog/probe/representations.h"
#include "dialog/respond/responses.h"
#include "experiments/engine/evaluation_json.h"
#include "experiments/probes/extent.h"
#include "tensor/file.h"
#include "train/run_json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using probe::Part, probe::TaskResult;

constexpr int64_t kBatch = 32;  // changes no result

TrainSettings run_settings(const ProbesSettings& settings, const ProbesData& data,
                           const PlannedRun& run) {
  TrainSettings s = settings.train.at(run.variant);
  s.model.vocab_size = data.train.vocabulary.size();
  s.loop.seed = run.seed;
  s.data_fingerprint = data.train.fingerprint();
  s.check();
  return s;
}

// The epochs whose models there are, with what load_epoch() calls them.
std::map<int, std::string> epochs_of(const std::string& directory, int best, int last) {
  std::map<int, std::string> epochs = {{0, "untrained"}};
  for (int epoch = 1; epoch < last; ++epoch) {
    const std::string name = std::to_string(epoch);
    if (std::filesystem::exists(in(directory, ("epoch-" + name + ".safetensors").c_str()))) {
      epochs[epoch] = name;
    }
  }
  epochs[last] = "last";
  epochs[best] = "best";
  return epochs;
}

// Twice the hits and what they are divided by, of each example: F1 is the quotient of their sums.
void add_items(Json& json, const TaskResult& result) {
  for (const probe::Hits& h : result.examples) {
    json["hits"].push_back(2 * h.true_positives);
    json["counted"].push_back(2 * h.true_positives + h.false_positives + h.false_negatives);
  }
}

Json score_json(const TaskResult& r) {
  return {{"f1", r.f1},
          {"exact", r.exact},
          {"accuracy", r.accuracy ? Json(*r.accuracy) : Json()},
          {"unconverged", r.unconverged}};
}

class Measurement {
 public:
  Measurement(const ProbesSettings& settings, const ProbesData& data, uint64_t seed,
              const OnMeasuring& progress)
      : settings_(settings), data_(data), seed_(seed), progress_(progress) {}

  // All tasks by one reading of a representation of both parts.
  std::map<std::string, TaskResult> probe_all(const std::string& what, const Part& fit,
                                              const Part& test, const ProbeReading& reading,
                                              bool control) const {
    std::map<std::string, TaskResult> results;
    for (const std::string& task : data_.tasks) {
      progress_(what + " " + reading.name,
                static_cast<double>(results.size()) / static_cast<double>(data_.tasks.size()));
      results[task] = probe::probe(fit, test, task,
                                   {.kind = reading.kind,
                                    .max_iterations = settings_.max_iterations,
                                    .standardise = reading.standardise,
                                    .control = control,
                                    .seed = seed_});
    }
    return results;
  }

  Part encode(Responder& model, const probe::LabelledPart& part, Pooling pooling) const {
    return {probe::encode(model, part.examples, pooling, kBatch,
                          [&](int64_t done, int64_t) {
                            progress_("encoding", static_cast<double>(done) /
                                                      static_cast<double>(part.examples.size()));
                          }),
            part.labels};
  }

  // Everything of a model, as the file has it of a checkpoint; `whole`: also what only the best one
  // has.
  Json checkpoint(Responder& model, const std::string& name, bool whole, Json& selectivity) const {
    Json json = Json::object();
    for (const ProbeReading& reading : settings_.readings) {
      const Part fit = encode(model, data_.fit, reading.pooling),
                 test = encode(model, data_.test, reading.pooling);
      if (!json.contains("length")) {
        const Extent extent = extent_of(fit.x);
        json["length"] = extent.length;
        json["range"] = extent.range;
      }
      const bool control = whole && &reading == &settings_.readings.back();
      for (const auto& [task, result] : probe_all(name, fit, test, reading, control)) {
        json[reading.name][task] = score_json(result);
        if (whole) add_items(json[reading.name][task], result);
        if (result.control_f1) selectivity[task] = result.f1 - *result.control_f1;
      }
    }
    return json;
  }

  // What every encoder is to be compared with; also fills in the F1 of constant predictions.
  Json baselines(int64_t width, Json& constant) const {
    Json json = Json::object();
    const auto add = [&](const std::string& name, const Part& fit, const Part& test) {
      for (const ProbeReading& reading : settings_.readings) {
        for (const auto& [task, result] : probe_all(name, fit, test, reading, false)) {
          json[name][reading.name][task] = result.f1;
          constant[task] = result.constant;
        }
      }
    };
    const auto bag = [&](const probe::LabelledPart& part) {
      return Part{probe::bag_of_words(part.examples, width, seed_), part.labels};
    };
    const auto length = [&](const probe::LabelledPart& part) {
      return Part{probe::context_lengths(part.examples), part.labels};
    };
    add("bag-of-words", bag(data_.fit), bag(data_.test));
    add("length", length(data_.fit), length(data_.test));
    return json;
  }

  Json responses(Responder& model, const Vocabulary& vocabulary) const {
    if (data_.spoken.empty()) return {{"bleu2", nullptr}};
    DecodeOptions greedy;
    greedy.max_length = settings_.max_response;
    const auto written =
        respond(model, data_.spoken, vocabulary, greedy, kBatch, [&](const RespondProgress& done) {
          progress_("responses",
                    static_cast<double>(done.examples) / static_cast<double>(data_.spoken.size()));
        });
    return {{"decode", "greedy"},
            {"bleu2", mean_overlap(written, data_.references).bleu_2},
            {"examples", data_.spoken.size()}};
  }

 private:
  const ProbesSettings& settings_;
  const ProbesData& data_;
  const uint64_t seed_;
  const OnMeasuring& progress_;
};

// F1 by epoch, from the checkpoints of the epochs.
Json curves(const std::map<int, Json>& epochs, const ProbesSettings& settings,
            const ProbesData& data, int last) {
  Json json = Json::object();
  for (const ProbeReading& reading : settings.readings) {
    for (const std::string& task : data.tasks) {
      for (int epoch = 0; epoch <= last; ++epoch) {
        const auto found = epochs.find(epoch);
        json[reading.name][task].push_back(
            found == epochs.end() ? Json() : found->second[reading.name][task]["f1"]);
      }
    }
  }
  return json;
}

// Of the best model the items too; they are of no use for the others.
Json without_items(Json checkpoint) {
  for (auto& [reading, tasks] : checkpoint.items()) {
    if (!tasks.is_object()) continue;
    for (auto& [task, score] : tasks.items()) {
      score.erase("hits");
      score.erase("counted");
    }
  }
  return checkpoint;
}

}  // namespace

std::string score_key(const std::string& checkpoint, const std::string& reading,
                      const std::string& task, const std::string& number) {
  return "checkpoints." + checkpoint + "." + reading + "." + task + "." + number;
}

std::string baseline_key(const std::string& baseline, const std::string& reading,
                         const std::string& task) {
  if (baseline == "constant") return "constant." + task;
  return "baselines." + baseline + "." + reading + "." + task;
}

std::string curve_key(const std::string& reading, const std::string& task) {
  return "by_epoch." + reading + "." + task;
}

void measure_probes(const std::string& directory, const PlannedRun& run,
                    const ProbesSettings& settings, const ProbesData& data, Device device,
                    const OnMeasuring& progress) {
  Json json = evaluation_head(directory, run, {{"structure", probed_names()[run.variant].name}},
                              kValidPerplexity, settings.made_with);
  const int best = json["best_epoch"], last = json["epochs"];
  const Measurement measurement(settings, data, run.seed, progress);
  std::map<int, Json> epochs;
  for (const auto& [epoch, name] : epochs_of(directory, best, last)) {
    LoadedModel loaded = load_epoch(directory, name);
    json["parameters"] = parameter_count(*loaded.model);
    move(*loaded.model, device);
    epochs[epoch] = measurement.checkpoint(*loaded.model, name, epoch == best, json["selectivity"]);
    epochs[epoch]["epoch"] = epoch;
    if (epoch != best) continue;
    json["responses"] = measurement.responses(*loaded.model, loaded.vocabulary);
    json["baselines"] = measurement.baselines(loaded.model->config().hidden_size, json["constant"]);
  }
  json["dialogues"] = data.dialogues;
  json["checkpoints"] = {{"untrained", without_items(epochs.at(0))},
                         {"last", without_items(epochs.at(last))},
                         {"best", epochs.at(best)}};
  json["by_epoch"] = curves(epochs, settings, data, last);
  progress("all", 1);  // the last moment to give up
  write_file(in(directory, "evaluation.json"), json.dump() + "\n");
}

Plan probes_plan(const std::string& out, const std::vector<PlannedRun>& runs,
                 const ProbesSettings& settings, const ProbesData& data) {
  Plan plan{.out = out, .runs = runs};
  plan.train = [&](const PlannedRun& run, const std::string& directory, Device device,
                   const TrainHooks& hooks) {
    const TrainSettings its = run_settings(settings, data, run);
    begin_run(directory, its, data.train);
    return train(directory, its, data.train, device, hooks);
  };
  plan.measure = [&](const PlannedRun& run, const std::string& directory, Device device,
                     const OnMeasuring& progress) {
    measure_probes(directory, run, settings, data, device, progress);
  };
  plan.train_metric = kTrainPerplexity;
  plan.valid_metric = kValidPerplexity;
  plan.metric_name = "perplexity";
  plan.kind = [](const PlannedRun& run) { return probed_names()[run.variant].name; };
  plan.max_epochs = [&](const PlannedRun& run) {
    return settings.train[run.variant].loop.max_epochs;
  };
  return plan;
}

}  // namespace heed
