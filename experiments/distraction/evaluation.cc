#include "experiments/distraction/evaluation.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/file.h"
#include "dialog/respond/evaluate.h"
#include "dialog/respond/on_ranks.h"
#include "dialog/respond/score_json.h"
#include "dialog/text/tokenizer.h"
#include "experiments/engine/evaluation_json.h"
#include "train/run_files.h"
#include "train/run_json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr int64_t kBatch = 32;  // changes no result

// Six digits: the numbers of single dialogues are many, and are only ever averaged.
Json rounded(const std::optional<double>& value) {
  if (!value) return {};
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", *value);
  return std::strtod(text, nullptr);
}

// ---- writing

void save_responses(const std::string& path, const std::vector<Example>& test,
                    const std::vector<Tokens>& responses) {
  std::string text;
  for (size_t i = 0; i < test.size(); ++i) {
    text += Json({{"id", test[i].id}, {"response", detokenize(responses[i])}}).dump() + "\n";
  }
  write_file(path, text);
}

Json measure(const std::vector<Tokens>& responses, const std::vector<Tokens>& references) {
  const ResponseQuality quality = measure_responses(responses, references);
  return {{"decode", "greedy"},
          {"bleu", quality.bleu.value()},
          {"distinct_1", quality.distinct_1},
          {"distinct_2", quality.distinct_2},
          {"mean_length", quality.mean_length},
          {"dialogues", quality.dialogues}};
}

Json set_json(const std::vector<DialogueScore>& scores) {
  const ScoreSummary summary = summarize(scores);
  Json json = to_json(summary), of_distractions = Json::array(), of_history = Json::array();
  for (const DialogueScore& s : scores) {
    const DialogueMeans means = dialogue_means(s.as_scores, s.distraction);
    of_history.push_back(rounded(means.history));
    if (summary.distracted > 0) of_distractions.push_back(rounded(means.distraction));
  }
  json["dialogues_as_distraction"] = std::move(of_distractions);
  json["dialogues_as_history"] = std::move(of_history);
  return json;
}

Json samples_json(const std::vector<DialogueScore>& scores, const std::vector<Tokens>& responses,
                  const std::vector<size_t>& samples) {
  Json json = Json::array();
  for (size_t i : samples) {
    Json as_scores = Json::array();
    for (double as : scores[i].as_scores) as_scores.push_back(rounded(as));
    json.push_back({{"id", scores[i].id},
                    {"as_scores", std::move(as_scores)},
                    {"das_ratio", rounded(scores[i].das_ratio)},
                    {"response", detokenize(responses[i])}});
  }
  return json;
}

Json describe(const Variant& variant) {
  return {{"variant", variant.name()},
          {"structure", variant.structure.name},
          {"insert_prob", variant.insert_prob},
          {"attention_loss", variant.attention_loss}};
}

}  // namespace

std::string set_name(size_t set) {
  return set == 0 ? "none" : std::string(kTestSets.at(set - 1));
}

std::string kind_of(size_t set) {
  const std::string name = set_name(set);
  return name.substr(0, name.find(':'));
}

std::string place_of(size_t set) {
  const std::string name = set_name(set), rest = name.substr(name.find(':') + 1);
  return kind_of(set) == "random" ? "p = " + rest : rest;
}

std::string key_of(size_t set, const std::string& number) {
  return "test_sets." + set_name(set) + "." + number;
}

void evaluate_run(const std::string& directory, const PlannedRun& run,
                  const ExperimentSettings& settings, const ExperimentData& data, Device device,
                  const OnMeasuring& progress) {
  Ranks& ranks = progress.ranks();
  LoadedModel loaded = load_model(directory);
  Responder& model = *loaded.model;
  take_from_first(ranks, parameter_tensors(model));  // a folder of a network may be behind
  Json json;
  if (ranks.first()) {
    json = evaluation_head(directory, run, describe(all_variants()[run.variant]), kValidPerplexity,
                           settings.made_with);
  }
  json["parameters"] = parameter_count(model);
  json["conversations"] = data.conversations;
  move(model, device);
  DecodeOptions greedy;
  greedy.max_length = settings.max_response;
  const auto part = [&](int64_t done) {
    return static_cast<double>(done) / static_cast<double>(data.test.size());
  };
  const std::vector<Tokens> responses = respond_on_ranks(
      ranks, model, part_of_rank(ranks, data.test), data.test.size(), loaded.vocabulary, greedy,
      kBatch, [&](const RespondProgress& done) { progress("responses", part(done.examples)); });
  const Phrases phrases = encode_phrases(settings.phrases, loaded.vocabulary,
                                         settings.train.examples.max_utterance_tokens);
  for (size_t s = 0; s < kSets; ++s) {
    const std::string name = set_name(s);
    const auto inserted =
        distracted(data.test, parse_test_set(name), data.train.pool, phrases, kTestSeed);
    const auto scores =
        score_on_ranks(ranks, model, part_of_rank(ranks, inserted), inserted.size(), kBatch,
                       [&](const ScoreProgress& done) { progress(name, part(done.examples)); });
    json["test_sets"][name] = set_json(scores);
    if (name == kSampleSet) json["samples"] = samples_json(scores, responses, data.samples);
    if (s > 0) continue;
    for (const DialogueScore& d : scores) {
      json["nll"].push_back(rounded(std::accumulate(d.nll.begin(), d.nll.end(), 0.0)));
      json["tokens"].push_back(d.nll.size());
    }
  }
  if (!ranks.first()) return;
  json["responses"] = measure(responses, data.references);
  progress("all", 1);  // the last moment to give up
  save_responses(in(directory, "responses.jsonl"), data.test, responses);
  write_file(in(directory, "evaluation.json"), json.dump() + "\n");
}

// Begins the run if it is new.
static void open_run(const PlannedRun& run, const std::string& directory,
                     const ExperimentSettings& experiment, const ExperimentData& data) {
  const TrainSettings settings = run_settings(experiment, data, run);
  if (!fs::exists(in(directory, "settings.json"))) {
    check_memory(settings.model);
    start_run(directory, settings, data.train.vocabulary);
    return;
  }
  const TrainSettings there = load_settings(directory);
  if (there.data_fingerprint != settings.data_fingerprint ||
      there.model.structure.name != settings.model.structure.name ||
      there.insert_prob != settings.insert_prob || there.loop.seed != settings.loop.seed ||
      there.attention_weight != settings.attention_weight) {
    throw DataError(directory + ": holds a run of another kind; move it away");
  }
}

Plan distraction_plan(const std::string& out, const std::vector<PlannedRun>& runs,
                      const ExperimentSettings& settings, const ExperimentData& data) {
  Plan plan{.out = out, .runs = runs};
  plan.train = [&](const PlannedRun& run, const std::string& directory, Device device,
                   const TrainHooks& hooks) {
    begin_on_first(*hooks.ranks, [&] { open_run(run, directory, settings, data); });
    return train(directory, run_settings(settings, data, run), data.train, device, hooks);
  };
  plan.measure = [&](const PlannedRun& run, const std::string& directory, Device device,
                     const OnMeasuring& progress) {
    evaluate_run(directory, run, settings, data, device, progress);
  };
  plan.shares_measuring = true;
  plan.train_metric = kTrainPerplexity;
  plan.valid_metric = kValidPerplexity;
  plan.metric_name = "perplexity";
  plan.kind = [](const PlannedRun& run) {
    return std::string(all_variants()[run.variant].structure.name);
  };
  plan.max_epochs = [&](const PlannedRun&) { return settings.train.loop.max_epochs; };
  return plan;
}

}  // namespace heed
