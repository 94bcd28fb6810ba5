#include "experiments/distraction/evaluation.h"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "dialog/respond/score_json.h"
#include "dialog/text/tokenizer.h"
#include "tensor/file.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr int64_t kBatch = 32;  // changes no result

std::string in(const std::string& directory, const char* file) {
  return (fs::path(directory) / file).string();
}

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

// Who it is, and how its training went.
Json head_json(const std::string& directory, const ExperimentRun& run,
               const ExperimentSettings& settings, Responder& model) {
  const std::vector<EpochLog> log = load_log(directory);
  const auto best = std::min_element(log.begin(), log.end(), [](const auto& a, const auto& b) {
    return valid_perplexity(a) < valid_perplexity(b);
  });
  if (best == log.end()) throw DataError(in(directory, "log.jsonl") + ": no epoch");
  Json heed = {{"device", settings.device}, {"matmul", settings.matmul}};
  for (const auto& [key, value] : settings.made_with) heed[key] = value;
  return {{"heed", heed},
          {"run", run.name()},
          {"variant", run.get().name()},
          {"structure", run.get().structure.name},
          {"insert_prob", run.get().insert_prob},
          {"attention_loss", run.get().attention_loss},
          {"seed", run.seed},
          {"best_epoch", best->epoch},
          {"epochs", log.size()},
          {"valid_perplexity", valid_perplexity(*best)},
          {"parameters", parameter_count(model)}};
}

// ---- reading

std::optional<double> number_or_null(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

Series read_series(const Json& json) {
  Series series;
  for (const Json& number : json) series.push_back(number_or_null(number));
  return series;
}

SetResult read_set(const Json& json) {
  return {summary_from_json(json), read_series(json.at("dialogues_as_distraction")),
          read_series(json.at("dialogues_as_history"))};
}

ResponseQuality read_responses(const Json& json) {
  ResponseQuality quality;
  quality.bleu = number_or_null(json.at("bleu"));
  json.at("distinct_1").get_to(quality.distinct_1);
  json.at("distinct_2").get_to(quality.distinct_2);
  json.at("mean_length").get_to(quality.mean_length);
  json.at("dialogues").get_to(quality.dialogues);
  return quality;
}

Evaluation read_evaluation(const Json& json) {
  Evaluation e;
  json.at("best_epoch").get_to(e.best_epoch);
  json.at("epochs").get_to(e.epochs);
  json.at("valid_perplexity").get_to(e.valid_perplexity);
  json.at("parameters").get_to(e.parameters);
  json.at("conversations").get_to(e.conversations);
  for (const auto& nll : read_series(json.at("nll"))) e.nll.push_back(nll.value_or(INFINITY));
  json.at("tokens").get_to(e.tokens);
  for (size_t s = 0; s < kSets; ++s) e.sets[s] = read_set(json.at("test_sets").at(set_name(s)));
  e.responses = read_responses(json.at("responses"));
  for (const Json& sample : json.at("samples")) {
    e.samples.push_back({sample.at("as_scores").get<std::vector<double>>(),
                         number_or_null(sample.at("das_ratio")),
                         sample.at("response").get<std::string>()});
  }
  return e;
}

// Numbers of dialogues that do not fit together would be read out of bounds.
bool fits(const Evaluation& e) {
  const size_t n = e.nll.size();
  for (size_t s = 0; s < kSets; ++s) {
    const SetResult& set = e.sets[s];
    const bool distracted = set.summary.distracted > 0;
    if (set.as_history.size() != n || set.as_distraction.size() != (distracted ? n : 0))
      return false;
  }
  int next = 0;  // they are numbered as they come
  for (const int conversation : e.conversations) {
    if (conversation < 0 || conversation > next) return false;
    next = std::max(next, conversation + 1);
  }
  return n > 0 && e.tokens.size() == n && e.conversations.size() == n;
}

}  // namespace

std::string set_name(size_t set) {
  return set == 0 ? "none" : std::string(kTestSets.at(set - 1));
}

void evaluate_run(const std::string& directory, const ExperimentRun& run,
                  const ExperimentSettings& settings, const ExperimentData& data, Device device,
                  const EvaluationProgress& progress) {
  LoadedModel loaded = load_model(directory);
  Responder& model = *loaded.model;
  Json json = head_json(directory, run, settings, model);
  json["conversations"] = data.conversations;
  move(model, device);
  DecodeOptions greedy;
  greedy.max_length = settings.max_response;
  const auto part = [&](int64_t done) {
    return static_cast<double>(done) / static_cast<double>(data.test.size());
  };
  const std::vector<Tokens> responses =
      respond(model, data.test, loaded.vocabulary, greedy, kBatch,
              [&](const RespondProgress& done) { progress("responses", part(done.examples)); });
  for (size_t s = 0; s < kSets; ++s) {
    const std::string name = set_name(s);
    const auto inserted =
        distracted(data.test, parse_test_set(name), data.train.pool, data.phrases, kTestSeed);
    const auto scores = score(model, inserted, kBatch, [&](const ScoreProgress& done) {
      progress(name, part(done.examples));
    });
    json["test_sets"][name] = set_json(scores);
    if (name == kSampleSet) json["samples"] = samples_json(scores, responses, data.samples);
    if (s > 0) continue;
    for (const DialogueScore& d : scores) {
      json["nll"].push_back(rounded(std::accumulate(d.nll.begin(), d.nll.end(), 0.0)));
      json["tokens"].push_back(d.nll.size());
    }
  }
  json["responses"] = measure(responses, data.references);
  save_responses(in(directory, "responses.jsonl"), data.test, responses);
  write_file(in(directory, "evaluation.json"), json.dump() + "\n");
}

bool is_evaluated(const std::string& directory) {
  return fs::exists(in(directory, "evaluation.json"));
}

Evaluation load_evaluation(const std::string& directory) {
  const std::string path = in(directory, "evaluation.json");
  Evaluation evaluation;
  try {
    evaluation = read_evaluation(Json::parse(read_file(path, 1 << 30)));
  } catch (const Json::exception& e) {
    throw DataError(path + ": not what heed writes there: " + e.what());
  }
  if (!fits(evaluation)) {
    throw DataError(path + ": the lists of its dialogues do not fit together");
  }
  return evaluation;
}

}  // namespace heed
