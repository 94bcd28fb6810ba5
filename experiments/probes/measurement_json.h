// Probing one model of a run: what evaluation.json and its additions are made of.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "dialog/respond/encoder.h"
#include "dialog/respond/run.h"
#include "experiments/making_json.h"
#include "experiments/probes/settings.h"
#include "experiments/responders.h"

namespace heed {

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

// At most `most` places of n, at even distances.
std::vector<size_t> spread_out(size_t n, size_t most);
// The labels, as texts, by which points are coloured: those of the examples at `places`, which
// components are fitted to, of which the ones at `drawn` are.
std::vector<std::string> labels_of_drawn(const probe::LabelSets& labels,
                                         const std::vector<size_t>& places,
                                         const std::vector<size_t>& drawn);

class Probing {
 public:
  Probing(const ProbesRun& run, const OnMeasuring& progress) : run_(run), progress_(progress) {}

  // A run's model of an epoch (load_epoch()), on the device.
  LoadedModel model(const std::string& epoch) const;
  // Everything of a model, as the files have it of a checkpoint. `selectivity` is filled in by
  // task, by the last reading, if it is given. `layer`: of an encoder that others trained.
  nlohmann::ordered_json checkpoint(const ContextEncoder& encoder, const std::string& name,
                                    nlohmann::ordered_json* selectivity, int layer = -1) const;
  nlohmann::ordered_json checkpoint(const LoadedModel& loaded, const std::string& name,
                                    nlohmann::ordered_json* selectivity = nullptr) const {
    return checkpoint(ResponseEncoder(*loaded.model, loaded.vocabulary), name, selectivity);
  }
  // What every encoder is to be compared with, {"constant", "baselines"}: the same for all runs of
  // a seed and a width, so the first run measures it, the others read its file.
  nlohmann::ordered_json baselines(int64_t width) const;
  // BLEU-2 of what the model writes to the spoken examples, and of what it finds most probable
  // behind the human words.
  nlohmann::ordered_json responses(const LoadedModel& loaded) const;
  nlohmann::ordered_json taught(const LoadedModel& loaded) const;

  // Tells how many of n examples are done.
  std::function<void(int64_t done, int64_t)> counts(const std::string& what, size_t n) const;

 private:
  // All tasks by one reading of a representation of both parts.
  std::map<std::string, probe::TaskResult> probe_all(const std::string& what,
                                                     const probe::Part& fit,
                                                     const probe::Part& test,
                                                     const ProbeReading& reading,
                                                     bool control) const;
  probe::Part encode(const ContextEncoder& encoder, const probe::LabelledPart& part,
                     Pooling pooling, int layer) const;

  const ProbesRun& run_;
  const OnMeasuring& progress_;
};

// A checkpoint without the hits of single examples, which only those of the best model are kept of.
nlohmann::ordered_json without_items(nlohmann::ordered_json checkpoint);

// How large representations are, whatever they mean: a probe with an L2 penalty gets more out of
// long vectors.
struct Extent {
  double length = 0;  // mean |x_i|
  double range = 0;   // largest minus smallest x_i . v, v the first principal component
                      // (dialog/stats/principal_components.h)
};
// Of the rows of x, f32 (n, d), n > 0.
Extent extent_of(const Tensor& x);

}  // namespace heed
