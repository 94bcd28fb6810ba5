#include "experiments/probes/measurement_json.h"

#include <algorithm>
#include <cmath>

#include "dialog/probe/representations.h"
#include "dialog/respond/responses.h"
#include "dialog/stats/principal_components.h"
#include "dialog/system.h"
#include "dialog/text/tokenizer.h"
#include "train/number_json.h"

namespace heed {

using Json = nlohmann::ordered_json;
using probe::Part, probe::TaskResult;

namespace {

Json score_json(const TaskResult& r) {
  Json json = {{"f1", r.f1},
               {"exact", r.exact},
               {"accuracy", or_null(r.accuracy)},
               {"unconverged", r.unconverged}};
  // Twice the hits of each example, and the denominator: F1 is the quotient of their sums.
  for (const Tally& h : r.examples) {
    json["hits"].push_back(2 * h.hits);
    json["counted"].push_back(h.decided + h.right);
  }
  return json;
}

Json overlap_json(const char* decode, const std::vector<Tokens>& written, const ProbesData& data) {
  return {{"decode", decode},
          {"bleu2", mean_overlap(written, data.references).bleu_2},
          {"examples", data.spoken.size()}};
}

}  // namespace

LoadedModel Probing::model(const std::string& epoch) const {
  LoadedModel loaded = load_epoch(run_.directory, epoch);
  move(*loaded.model, run_.device);
  return loaded;
}

std::function<void(int64_t, int64_t)> Probing::counts(const std::string& what, size_t n) const {
  return [this, what, n](int64_t done, int64_t) {
    progress_(what, std::min(1.0, static_cast<double>(done) / static_cast<double>(n)));
  };
}

std::map<std::string, TaskResult> Probing::probe_all(const std::string& what, const Part& fit,
                                                     const Part& test, const ProbeReading& reading,
                                                     bool control) const {
  std::map<std::string, TaskResult> results;
  const std::vector<std::string>& tasks = run_.data.tasks;
  for (const std::string& task : tasks) {
    progress_(what + " " + reading.name,
              static_cast<double>(results.size()) / static_cast<double>(tasks.size()));
    results[task] = probe::probe(fit, test, task,
                                 {.kind = reading.kind,
                                  .max_iterations = run_.settings.max_iterations,
                                  .standardise = reading.standardise,
                                  .control = control,
                                  .seed = run_.run.seed});
  }
  return results;
}

// An encoder that others trained gets the words that the models read, in its own numbers.
Part Probing::encode(const ContextEncoder& encoder, const probe::LabelledPart& part,
                     Pooling pooling, int layer) const {
  std::vector<Example> examples = part.examples.to_vector();
  for (size_t i = 0; layer >= 0 && i < examples.size(); ++i) {
    const auto words = context_words(examples[i], run_.data.train.vocabulary);
    for (size_t k = 0; k < words.size(); ++k) {
      examples[i].context[k] = encoder.numbers(detokenize(words[k]));
    }
  }
  return {encoder.encode(examples, {.pooling = pooling,
                                    .layer = layer,
                                    .batch = kMeasuringBatch,
                                    .progress = counts("encoding", examples.size())}),
          part.labels};
}

Json Probing::checkpoint(const ContextEncoder& encoder, const std::string& name, Json* selectivity,
                         int layer) const {
  Json json = Json::object();
  struct Encoded {
    Part fit, test;
  };
  std::map<Pooling, Encoded> encoded;  // readings also differ in their probe, and share vectors
  const std::vector<ProbeReading>& readings = run_.settings.readings;
  for (const ProbeReading& reading : readings) {
    const Pooling pooling = layer < 0 ? reading.pooling : Pooling::kSum;  // of which it has one
    const auto [found, first] = encoded.try_emplace(pooling);
    auto& [fit, test] = found->second;
    if (first) {
      fit = encode(encoder, run_.data.fit, pooling, layer);
      test = encode(encoder, run_.data.test, pooling, layer);
    }
    if (!json.contains("length")) {
      const Extent extent = extent_of(fit.x);
      json["length"] = extent.length;
      json["range"] = extent.range;
    }
    const bool control = selectivity && &reading == &readings.back();
    for (const auto& [task, result] : probe_all(name, fit, test, reading, control)) {
      json[reading.name][task] = score_json(result);
      if (control) (*selectivity)[task] = result.selectivity();
    }
  }
  return json;
}

Json Probing::baselines(int64_t width) const {
  const std::string file = in(run_.out, "baselines-seed" + std::to_string(run_.run.seed) +
                                            "-width" + std::to_string(width) + ".json");
  if (std::filesystem::exists(file)) return parse_json<Json>(file);
  Json baselines = Json::object(), constant;
  const auto add = [&](const std::string& name, const auto& vectors) {
    const probe::LabelledPart &fit = run_.data.fit, &test = run_.data.test;
    for (const ProbeReading& reading : run_.settings.readings) {
      for (const auto& [task, result] :
           probe_all(name, {vectors(fit.examples), fit.labels},
                     {vectors(test.examples), test.labels}, reading, false)) {
        baselines[name][reading.name][task] = result.f1;
        constant[task] = result.constant;
      }
    }
  };
  add("bag-of-words", [&](const PackedList<Example>& examples) {
    return probe::bag_of_words(examples, width, run_.run.seed);
  });
  add("length", probe::context_lengths);
  create_once(file, Json({{"constant", constant}, {"baselines", baselines}}).dump() + "\n");
  return parse_json<Json>(file);
}

Json Probing::responses(const LoadedModel& loaded) const {
  const ProbesData& data = run_.data;
  if (data.spoken.empty()) return {{"bleu2", nullptr}};
  DecodeOptions greedy;
  greedy.max_length = run_.settings.max_response;
  const auto count = counts("responses", data.spoken.size());
  return overlap_json(
      "greedy",
      respond(*loaded.model, data.spoken, loaded.vocabulary, greedy, kMeasuringBatch,
              [&](const RespondProgress& done) { count(done.examples, done.tokens); }),
      data);
}

Json Probing::taught(const LoadedModel& loaded) const {
  const ProbesData& data = run_.data;
  if (data.spoken.empty()) return {{"bleu2", nullptr}};
  return overlap_json(
      "taught",
      respond_taught(*loaded.model, data.spoken, loaded.vocabulary, false, kMeasuringBatch), data);
}

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

Extent extent_of(const Tensor& x) {
  const int64_t n = x.shape()[0], d = x.shape()[1];
  Extent extent;
  for (int64_t i = 0; i < n; ++i) {
    double square = 0;
    for (int64_t j = 0; j < d; ++j) {
      const double value = x.data<float>()[i * d + j];
      square += value * value;
    }
    extent.length += std::sqrt(square) / static_cast<double>(n);
  }
  const Tensor along = principal_components(x, 1).coordinates(x);
  const auto [low, high] = std::minmax_element(along.data<double>(), along.data<double>() + n);
  extent.range = *high - *low;
  return extent;
}

// ---- evaluation.json

namespace {

// The epochs whose models exist, with the names that load_epoch() takes.
std::map<int, std::string> epochs_of(const std::string& directory, int best, int last) {
  std::map<int, std::string> epochs = {{0, "untrained"}};
  for (int epoch = 1; epoch < last; ++epoch) {
    const std::string name = std::to_string(epoch);
    if (std::filesystem::exists(in(directory, "epoch-" + name + ".safetensors"))) {
      epochs[epoch] = name;
    }
  }
  epochs[last] = "last";
  epochs[best] = "best";
  return epochs;
}

// F1 by epoch, from the checkpoints of the epochs.
Json curves(const std::map<int, Json>& epochs, const ProbesRun& run, int last) {
  Json json = Json::object();
  for (const ProbeReading& reading : run.settings.readings) {
    for (const std::string& task : run.data.tasks) {
      for (int epoch = 0; epoch <= last; ++epoch) {
        const auto found = epochs.find(epoch);
        json[reading.name][task].push_back(
            found == epochs.end() ? Json() : found->second[reading.name][task]["f1"]);
      }
    }
  }
  return json;
}

// A layer of the encoder that others trained: it has neither epochs nor responses.
void measure_layer(const ProbesRun& run, const Probing& probing, int layer, Json& json) {
  const LoadedSystem loaded = open_model(run.settings.pretrained, Capability::kEncode, run.device);
  json["parameters"] = parameter_count(*loaded.module);
  json["checkpoints"]["best"] = probing.checkpoint(
      *loaded.encoder, "layer " + std::to_string(layer), &json["selectivity"], layer);
  json.update(probing.baselines(loaded.encoder->width()));
  json["dialogues"] = run.data.dialogues;
}

}  // namespace

void measure_probes(const ProbesRun& run, const OnMeasuring& progress, Json& json) {
  const Probing probing(run, progress);
  if (const auto layer = probed_layer(run.run.variant))
    return measure_layer(run, probing, *layer, json);
  const int best = json["best_epoch"], last = json["epochs"];
  std::map<int, Json> epochs;
  for (const auto& [epoch, name] : epochs_of(run.directory, best, last)) {
    const LoadedModel loaded = probing.model(name);
    json["parameters"] = parameter_count(*loaded.model);
    epochs[epoch] =
        probing.checkpoint(loaded, name, epoch == best ? &json["selectivity"] : nullptr);
    epochs[epoch]["epoch"] = epoch;
    if (epoch != best) continue;
    json["responses"] = probing.responses(loaded);
    json.update(probing.baselines(loaded.model->config().hidden_size));
  }
  json["dialogues"] = run.data.dialogues;
  json["checkpoints"] = {{"untrained", without_items(epochs.at(0))},
                         {"last", without_items(epochs.at(last))},
                         {"best", epochs.at(best)}};
  json["by_epoch"] = curves(epochs, run, last);
}

}  // namespace heed
