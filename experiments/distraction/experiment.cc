#include "experiments/distraction/experiment.h"

#include <numeric>

#include "dialog/respond/evaluate.h"
#include "dialog/respond/on_ranks.h"
#include "dialog/respond/score_json.h"
#include "dialog/respond/settings.h"
#include "dialog/text/format.h"
#include "dialog/text/tokenizer.h"
#include "experiments/making_json.h"
#include "train/run_files.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using Run = Subject<ExperimentSettings, ExperimentData>;

constexpr int64_t kBatch = 32;  // changes no result

// Six digits: the numbers of single dialogues are many, and are only ever averaged.
Json rounded(const std::optional<double>& value) {
  if (!value) return {};
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", *value);
  return std::strtod(text, nullptr);
}

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

// Also writes responses.jsonl, with the greedy response to each test dialogue.
void evaluate_run(const Run& run, const OnMeasuring& progress, Json& json) {
  const ExperimentSettings& settings = run.settings;
  const ExperimentData& data = run.data;
  Ranks& ranks = progress.ranks();
  LoadedModel loaded = load_model(run.directory);
  Responder& model = *loaded.model;
  take_from_first(ranks, parameter_tensors(model));  // a folder of a network may be behind
  json["parameters"] = parameter_count(model);
  json["conversations"] = data.conversations;
  move(model, run.device);
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
  save_responses(in(run.directory, "responses.jsonl"), data.test, responses);
}

bool train_run(const Run& run, const TrainHooks& hooks) {
  const TrainSettings settings = run_settings(run.settings, run.data, run.run);
  begin_on_first(*hooks.ranks, [&] { begin_run(run.directory, settings, run.data.train); });
  return train(run.directory, settings, run.data.train, run.device, hooks);
}

// ---- the description

void visit(ExperimentSettings& s, const OptionVisitor& v) {
  const Setting tests = {.group = "Tests"};
  v(setting("limit", "limit", ""), &s.limit);
  v(setting("test-limit", "test-limit", "Only the first dialogues of the test part; 0: as --limit",
            tests),
    &s.test_limit);
  v(setting("max-length", "max-length", "Longest response, in words",
            {.group = "Tests", .least = 1, .most = 1000}),
    &s.max_response);
  v(setting("frequent", "frequent", "Utterances of the frequent: sets", tests),
    &s.phrases.frequent);
  v(setting("rare", "rare", "Utterances of the rare: sets", tests), &s.phrases.rare);
}

void take(const ExperimentRequest& request, ExperimentSettings& s) {
  s.data = request.data;
  s.train = request.responder({});
  s.limit = s.train.limit.value_or(0);
}

Json training(const ExperimentSettings& s) {
  Json json = training_options(s.train);
  json.erase("preset");
  json["group"] = in_file(s.train.loop.optimizer.groups);
  json["vocab"] = s.train.model.vocab_size;
  return json;
}

Json about_data(const ExperimentSettings& s, const ExperimentData& data) {
  Json counts = {
      {"train_examples", data.train.train.size()},  {"valid_examples", data.train.valid.size()},
      {"test_examples", data.test.size()},          {"vocabulary", data.train.vocabulary.size()},
      {"train_checksum", data.train.fingerprint()}, {"test_checksum", data.test_fingerprint}};
  const std::string& vectors = s.train.word_vectors;
  if (!vectors.empty()) counts["word_vectors"] = file_checksum(vectors);
  return counts;
}

Json earlier(const ExperimentSettings&) {
  Json json = options_before(TrainSettings());
  json.update({{"attention-weight", 1}, {"device", "cpu"}, {"matmul", "f32"}});
  return json;
}

Json about_variant(const ExperimentSettings&, const ExperimentData&, size_t variant) {
  const Variant& v = all_variants()[variant];
  return {{"variant", v.name()},
          {"structure", v.structure.name},
          {"insert_prob", v.insert_prob},
          {"attention_loss", v.attention_loss}};
}

std::string in_short(const ExperimentSettings&, const ExperimentData& data) {
  return std::to_string(data.train.train.size()) + " training, " +
         std::to_string(data.train.valid.size()) + " validation and " +
         counted(data.test.size(), "test example");
}

const Making<ExperimentSettings, ExperimentData>& making() {
  using Settings = ExperimentSettings;
  using Data = ExperimentData;
  static const Making<Settings, Data> kMaking = {
      .visit = visit,
      .take = take,
      .variants = [](const Settings&) { return variant_names(); },
      .load = [](const Settings& s,
                 bool reads) { return reads ? load_experiment_data(s) : Data(); },
      .format = kExperimentFormat,
      .training = training,
      .about_data = about_data,
      .earlier = earlier,
      .more = {{"test_seed", kTestSeed}},
      .begin = [](const std::string& out, const Settings&, const Data& d) { save_samples(out, d); },
      .in_short = in_short,
      .words = [](const Data& data) -> int64_t { return data.train.vocabulary.size(); },
      .train = train_run,
      .about_variant = about_variant,
      .best_metric = kValidPerplexity,
      .measurements = {{"evaluation.json", evaluate_run}},
      .shares_measuring = true,
      .train_metric = kTrainPerplexity,
      .valid_metric = kValidPerplexity,
      .metric_name = "perplexity",
      .kind = [](const Settings&, const Data&,
                 size_t variant) { return std::string(all_variants()[variant].structure.name); },
      .max_epochs = [](const Settings& s, size_t) { return s.train.loop.max_epochs; }};
  return kMaking;
}

}  // namespace

Experiment distraction_experiment() {
  return experiment({.name = "distraction",
                     .kind = "experiment",
                     .what = "Train and test the 23 variants of the experiment; writes tables",
                     .more = "The experiment of Xing & Gulla (2022), docs/experiment.md.",
                     .example = "--data data/ubuntu-sample --preset smoke",
                     .only = "\"static-ui*\", \"*-p0.7\"",
                     .trains = Trains::kResponders},
                    making(), distraction_showing());
}

}  // namespace heed
