// Probing one model of a run: what evaluation.json and its additions are made of.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "dialog/parts/encoder.h"
#include "dialog/respond/responder.h"
#include "experiments/making_json.h"
#include "experiments/probes/settings.h"

namespace heed {

constexpr int64_t kProbesBatch = 32;  // changes no result

class Probing {
 public:
  Probing(const ProbesSettings& settings, const ProbesData& data, uint64_t seed,
          const OnMeasuring& progress)
      : settings_(settings), data_(data), seed_(seed), progress_(progress) {}

  // Everything of a model, as the files have it of a checkpoint. `selectivity` is filled in by
  // task, by the last reading, if it is given.
  nlohmann::ordered_json checkpoint(Responder& model, const std::string& name,
                                    nlohmann::ordered_json* selectivity) const;
  // The same of a layer of an encoder whose vectors are made in one way, for all readings.
  nlohmann::ordered_json layer(const ContextEncoder& encoder, int layer,
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
  using VectorsOf = std::function<probe::Part(const probe::LabelledPart&, Pooling)>;
  nlohmann::ordered_json checkpoint(const VectorsOf& vectors, const std::string& name,
                                    nlohmann::ordered_json* selectivity) const;
  probe::Part encode(Responder& model, const probe::LabelledPart& part, Pooling pooling) const;
  probe::Part encode(const ContextEncoder& encoder, const probe::LabelledPart& part,
                     int layer) const;

  const ProbesSettings& settings_;
  const ProbesData& data_;
  const uint64_t seed_;
  const OnMeasuring& progress_;
};

using ProbesRun = Subject<ProbesSettings, ProbesData>;
// evaluation.json: probes the models of a trained run on every task, by every reading; the best one
// also on the control task and by the responses that it writes.
void measure_probes(const ProbesRun& run, const OnMeasuring& progress,
                    nlohmann::ordered_json& json);
// What is measured besides, from the trained models. Tables do without where it is missing.
//   attention.json    where each model looks: the DAS ratio (Xing & Gulla 2022) by test set
//   components.json   the first two principal components of the representation
//   taught.json       BLEU-2 of what the best model finds most probable behind human words
//   chosen.json       the epochs that write best, on request (ProbesSettings::choose)
//   judged.json       the one that an encoder chooses, on request (ProbesSettings::judge)
std::vector<Measurement<ProbesSettings, ProbesData>> additions();

// Of an encoder's weights: which one it is.
uint32_t checksum_of(const std::string& encoder);

// A checkpoint without the hits of single examples, which only those of the best model are kept of.
nlohmann::ordered_json without_items(nlohmann::ordered_json checkpoint);

}  // namespace heed
