#include "experiments/distraction/experiment.h"

#include <numeric>

#include "dialog/respond/evaluate.h"
#include "dialog/respond/on_ranks.h"
#include "dialog/respond/score_json.h"
#include "dialog/respond/settings.h"
#include "dialog/text/tokenizer.h"
#include "experiments/responders_json.h"
#include "train/run_files.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using Run = Subject<ExperimentSettings, ExperimentData>;

constexpr int64_t kBatch = 32;  // changes no result

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
  take_from_first(ranks, parameter_tensors(model));  // a network folder may lag behind
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
  TrainSettings s = run.settings.train;
  const Variant& variant = all_variants()[run.run.variant];
  s.model.structure = variant.structure;
  s.insert_prob = variant.insert_prob;
  if (!variant.attention_loss) s.attention_weight = 0;
  return train_responder(run.run, run.directory, run.device, s, run.data.train, hooks);
}

// ---- the description

void visit(ExperimentSettings& s, const OptionVisitor& v) {
  const Setting tests = {.group = "Tests"};
  v(setting("limit", "limit", ""), &s.limit);
  v(setting("test-limit", "test-limit",
            "Read only the first dialogues of the test part; 0: as --limit", tests),
    &s.test_limit);
  v(setting("max-length", "max-length", "Longest response, in words",
            {.group = "Tests", .least = 1, .most = 1000}),
    &s.max_response);
  v(setting("frequent", "frequent", "Utterances of the frequent: sets", tests),
    &s.phrases.frequent);
  v(setting("rare", "rare", "Utterances of the rare: sets", tests), &s.phrases.rare);
}

Json training(const ExperimentSettings& s) {
  Json json = training_options(s.train);
  json.erase("preset");
  json["group"] = in_file(s.train.loop.optimizer.groups);
  json["vocab"] = s.train.model.vocab_size;
  return json;
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

Making<ExperimentSettings, ExperimentData> making() {
  using Settings = ExperimentSettings;
  using Data = ExperimentData;
  auto making = responders_making<Settings, Data>();
  making.visit = visit;
  making.names = variant_names();
  making.load = [](const Settings& s, bool reads) {
    return reads ? load_experiment_data(s) : Data();
  };
  making.format = kExperimentFormat;
  making.training = training;
  making.about_data = [](const Settings& s, const Data& data) {
    Json json = responders_making<Settings, Data>().about_data(s, data);
    const std::string& vectors = s.train.word_vectors;
    if (!vectors.empty()) json["word_vectors"] = file_checksum(vectors);
    return json;
  };
  making.earlier = earlier;
  making.more = {{"test_seed", kTestSeed}};
  making.begin = [](const std::string& out, const Settings&, const Data& d) {
    save_samples(out, d);
  };
  making.train = train_run;
  making.about_variant = about_variant;
  making.measurements = {{"evaluation.json", evaluate_run}};
  making.shares_measuring = true;
  making.kind = [](const Settings&, const Data&, size_t v) {
    return std::string(all_variants()[v].structure.name);
  };
  return making;
}

}  // namespace

Experiment distraction_experiment() {
  return experiment({.name = "distraction",
                     .kind = "experiment",
                     .what = "Train and test the 23 variants of the experiment, and write tables",
                     .more = "The experiment of Xing & Gulla (2022), docs/experiment.md.",
                     .example = "--data data/ubuntu-sample --preset smoke",
                     .only = "\"static-ui*\", \"*-p0.7\"",
                     .trains = Trains::kResponders},
                    making(), distraction_showing());
}

}  // namespace heed
