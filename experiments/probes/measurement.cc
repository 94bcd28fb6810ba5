#include "dialog/probe/representations.h"
#include "dialog/respond/responses.h"
#include "dialog/text/tokenizer.h"
#include "experiments/probes/extent.h"
#include "experiments/probes/measurement_json.h"

namespace heed {

using Json = nlohmann::ordered_json;
using probe::Part, probe::TaskResult;

namespace {

// Twice the hits of each example, and the denominator: F1 is the quotient of their sums.
void add_items(Json& json, const TaskResult& result) {
  for (const Hits& h : result.examples) {
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

Json overlap_json(const char* decode, const std::vector<Tokens>& written, const ProbesData& data) {
  return {{"decode", decode},
          {"bleu2", mean_overlap(written, data.references).bleu_2},
          {"examples", data.spoken.size()}};
}

}  // namespace

std::map<std::string, TaskResult> Probing::probe_all(const std::string& what, const Part& fit,
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

Part Probing::encode(Responder& model, const probe::LabelledPart& part, Pooling pooling) const {
  return {probe::encode(model, part.examples.to_vector(), pooling, kProbesBatch,
                        [&](int64_t done, int64_t) {
                          progress_("encoding", static_cast<double>(done) /
                                                    static_cast<double>(part.examples.size()));
                        }),
          part.labels};
}

// The words that the models read, in the encoder's own numbers.
Part Probing::encode(const ContextEncoder& encoder, const probe::LabelledPart& part,
                     int layer) const {
  std::vector<Example> examples = part.examples.to_vector();
  for (Example& e : examples) {
    const auto words = context_words(e, data_.train.vocabulary);
    for (size_t k = 0; k < words.size(); ++k) e.context[k] = encoder.numbers(detokenize(words[k]));
  }
  const auto all = static_cast<double>(examples.size());
  return {encoder.encode(examples, {.layer = layer,
                                    .batch = kProbesBatch,
                                    .progress =
                                        [&](int64_t done, int64_t) {
                                          progress_("encoding", static_cast<double>(done) / all);
                                        }}),
          part.labels};
}

Json Probing::checkpoint(Responder& model, const std::string& name, Json* selectivity) const {
  return checkpoint([&](const probe::LabelledPart& part,
                        Pooling pooling) { return encode(model, part, pooling); },
                    name, selectivity);
}

Json Probing::layer(const ContextEncoder& encoder, int layer, Json* selectivity) const {
  std::map<const probe::LabelledPart*, Part> encoded;
  return checkpoint(
      [&](const probe::LabelledPart& part, Pooling) {
        const auto [found, first] = encoded.try_emplace(&part);
        if (first) found->second = encode(encoder, part, layer);
        return found->second;
      },
      "layer " + std::to_string(layer), selectivity);
}

Json Probing::checkpoint(const VectorsOf& vectors, const std::string& name,
                         Json* selectivity) const {
  Json json = Json::object();
  struct Encoded {
    Part fit, test;
  };
  std::map<Pooling, Encoded> encoded;  // readings also differ in their probe, and share vectors
  for (const ProbeReading& reading : settings_.readings) {
    const auto [found, first] = encoded.try_emplace(reading.pooling);
    auto& [fit, test] = found->second;
    if (first) {
      fit = vectors(data_.fit, reading.pooling);
      test = vectors(data_.test, reading.pooling);
    }
    if (!json.contains("length")) {
      const Extent extent = extent_of(fit.x);
      json["length"] = extent.length;
      json["range"] = extent.range;
    }
    const bool control = selectivity && &reading == &settings_.readings.back();
    for (const auto& [task, result] : probe_all(name, fit, test, reading, control)) {
      json[reading.name][task] = score_json(result);
      add_items(json[reading.name][task], result);
      if (control) (*selectivity)[task] = result.selectivity();
    }
  }
  return json;
}

Json Probing::baselines(int64_t width, Json& constant) const {
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

Json Probing::responses(Responder& model, const Vocabulary& vocabulary) const {
  if (data_.spoken.empty()) return {{"bleu2", nullptr}};
  DecodeOptions greedy;
  greedy.max_length = settings_.max_response;
  return overlap_json("greedy",
                      respond(model, data_.spoken, vocabulary, greedy, kProbesBatch,
                              [&](const RespondProgress& done) {
                                progress_("responses",
                                          static_cast<double>(done.examples) /
                                              static_cast<double>(data_.spoken.size()));
                              }),
                      data_);
}

Json Probing::taught(Responder& model, const Vocabulary& vocabulary) const {
  if (data_.spoken.empty()) return {{"bleu2", nullptr}};
  return overlap_json("taught",
                      respond_taught(model, data_.spoken, vocabulary, false, kProbesBatch), data_);
}

uint32_t checksum_of(const std::string& encoder) {
  constexpr uint64_t kMost = uint64_t{1} << 34;
  return checksum(read_file(in(encoder, "model.safetensors"), kMost));
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

}  // namespace heed
