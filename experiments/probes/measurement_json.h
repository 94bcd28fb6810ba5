// Probing one model of a run: what evaluation.json and its additions are made of.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "dialog/respond/responder.h"
#include "experiments/engine/plan.h"
#include "experiments/probes/settings.h"

namespace heed {

constexpr int64_t kProbesBatch = 32;  // changes no result

class Measurement {
 public:
  Measurement(const ProbesSettings& settings, const ProbesData& data, uint64_t seed,
              const OnMeasuring& progress)
      : settings_(settings), data_(data), seed_(seed), progress_(progress) {}

  // Everything of a model, as the files have it of a checkpoint. `selectivity` is filled in by
  // task, by the last reading, if it is given.
  nlohmann::ordered_json checkpoint(Responder& model, const std::string& name,
                                    nlohmann::ordered_json* selectivity) const;
  // What every encoder is to be compared with; also fills in the F1 of constant predictions.
  nlohmann::ordered_json baselines(int64_t width, nlohmann::ordered_json& constant) const;
  // BLEU-2 of what the model writes to the spoken examples.
  nlohmann::ordered_json responses(Responder& model, const Vocabulary& vocabulary) const;
  // The same of what it finds most probable behind the human words.
  nlohmann::ordered_json taught(Responder& model, const Vocabulary& vocabulary) const;

 private:
  // All tasks by one reading of a representation of both parts.
  std::map<std::string, probe::TaskResult> probe_all(const std::string& what,
                                                     const probe::Part& fit,
                                                     const probe::Part& test,
                                                     const ProbeReading& reading,
                                                     bool control) const;
  probe::Part encode(Responder& model, const probe::LabelledPart& part, Pooling pooling) const;

  const ProbesSettings& settings_;
  const ProbesData& data_;
  const uint64_t seed_;
  const OnMeasuring& progress_;
};

// A checkpoint without the hits of single examples, which only those of the best model are kept of.
nlohmann::ordered_json without_items(nlohmann::ordered_json checkpoint);

}  // namespace heed
