#include "experiments/distraction/experiment.h"

#include <algorithm>
#include <filesystem>

#include "dialog/data/conversations.h"
#include "dialog/respond/evaluate.h"
#include "dialog/respond/on_ranks.h"
#include "dialog/respond/responses.h"
#include "dialog/respond/score_json.h"
#include "dialog/respond/settings.h"
#include "dialog/text/tokenizer.h"
#include "experiments/responders_json.h"
#include "train/run_files.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kSampleSet[] = "random:1.0";  // the test set of the sample dialogues
constexpr size_t kSamples = 6;

using Settings = DistractedTests;

struct Data : ResponseData {
  // With these the first rank measures; the others need not have them.
  std::vector<size_t> samples;        // test examples that the report shows
  std::vector<Example> sample_texts;  // the same with their distractions

  // Has what the first rank of the machine has of the training and the test examples.
  void share(const Neighbours& neighbours) {
    train.share(neighbours);
    neighbours.share_copy(test);
  }
};

using Run = Subject<Settings, Data>;

// ---- the sample dialogues

// A dialogue that can be read at a glance: one with few words.
bool is_short(const Example& e, const Vocabulary& vocabulary) {
  const auto fits = [&](const std::vector<int32_t>& tokens, int64_t least) {
    const int64_t words = vocabulary.count_words(tokens);
    return words >= least && words <= 25;
  };
  return e.context.size() >= 3 && e.context.size() <= 5 && fits(e.response, 4) &&
         std::all_of(e.context.begin(), e.context.end(),
                     [&](const auto& utterance) { return fits(utterance, 3); });
}

// The first short dialogues; if there are too few, the first ones.
std::vector<size_t> choose_samples(const Data& data) {
  std::vector<size_t> chosen;
  for (const bool short_ones : {true, false}) {
    for (size_t i = 0; i < data.test.size() && chosen.size() < kSamples; ++i) {
      if (is_short(data.test[i], data.train.vocabulary) == short_ones) chosen.push_back(i);
    }
  }
  return chosen;
}

Json quality_json(const ResponseQuality& quality) {
  return {{"distinct_1", quality.distinct_1},
          {"distinct_2", quality.distinct_2},
          {"mean_length", quality.mean_length},
          {"dialogues", quality.dialogues}};
}

// With all words, where the models see <unk>.
Json describe_samples(const Data& data) {
  const Vocabulary& vocabulary = data.train.vocabulary;
  Json json = {{"test_set", kSampleSet},
               {"human", quality_json(measure_responses(data.references, data.references))},
               {"dialogues", Json::array()}};
  for (const Example& e : data.sample_texts) {
    Json context = Json::array();
    for (const Tokens& words : context_words(e, vocabulary)) {
      context.push_back(
          {{"text", detokenize(words)}, {"distraction", e.distraction[context.size()] != 0}});
    }
    json["dialogues"].push_back({{"id", e.id},
                                 {"context", context},
                                 {"response", detokenize(response_words(e, vocabulary))}});
  }
  return json;
}

Data load_data(const Settings& s, bool reads) {
  if (!reads) return {};
  Data data{s.load(), {}, {}};
  data.samples = choose_samples(data);
  const auto inserted = distracted(data.test, parse_test_set(kSampleSet), data.train.pool,
                                   s.phrases_in(data.train.vocabulary), kTestSeed);
  for (const size_t i : data.samples) data.sample_texts.push_back(inserted[i]);
  return data;
}

// ---- a run

TrainSettings settings_of(const Settings& settings, size_t v) {
  TrainSettings s = settings.train;
  const Variant& variant = all_variants()[v];
  s.model.structure = variant.structure;
  s.insert_prob = variant.insert_prob;
  if (!variant.attention_loss) s.attention_weight = 0;
  return s;
}

Json set_json(const TestSetResult& set) {
  Json json = to_json(set.summary), of_distractions = Json::array(), of_history = Json::array();
  for (const ExampleResult& e : set.examples) {
    of_history.push_back(rounded(e.means.history));
    if (set.summary.distracted > 0) of_distractions.push_back(rounded(e.means.distraction));
  }
  json["dialogues_as_distraction"] = std::move(of_distractions);
  json["dialogues_as_history"] = std::move(of_history);
  return json;
}

Json samples_json(const std::vector<ExampleResult>& results, const std::vector<Tokens>& responses,
                  const std::vector<size_t>& samples) {
  Json json = Json::array();
  for (const size_t i : samples) {
    Json as_scores = Json::array();
    for (const double as : results[i].as_scores) as_scores.push_back(rounded(as));
    json.push_back({{"id", results[i].id},
                    {"as_scores", std::move(as_scores)},
                    {"das_ratio", rounded(results[i].das_ratio)},
                    {"response", detokenize(responses[i])}});
  }
  return json;
}

// Also writes responses.jsonl, with the greedy response to each test dialogue.
void evaluate_run(const Run& run, const OnMeasuring& progress, Json& json) {
  const Data& data = run.data;
  Ranks& ranks = progress.ranks();
  LoadedModel loaded = load_model(run.directory);
  Responder& model = *loaded.model;
  take_from_first(ranks, parameter_tensors(model));  // a network folder may lag behind
  json["parameters"] = parameter_count(model);
  json["conversations"] = data.conversations;
  move(model, run.device);
  DecodeOptions greedy;
  greedy.max_length = run.settings.max_response;
  const auto part = [&](int64_t done) {
    return static_cast<double>(done) / static_cast<double>(data.test.size());
  };
  const std::vector<Tokens> responses = respond_on_ranks(
      ranks, model, part_of_rank(ranks, data.test), data.test.size(), loaded.vocabulary, greedy,
      kMeasuringBatch,
      [&](const RespondProgress& done) { progress("responses", part(done.examples)); });
  const auto tested = evaluate(
      model, data.test, select_test_sets("all"), data.train.pool,
      run.settings.phrases_in(loaded.vocabulary), kTestSeed, kMeasuringBatch,
      [&](const std::string& set, const ScoreProgress& done) {
        progress(set, part(done.examples));
      },
      ranks);
  for (const TestSetResult& set : tested) json["test_sets"][set.name] = set_json(set);
  for (const ExampleResult& e : tested[0].examples) {
    json["nll"].push_back(rounded(e.nll));
    json["tokens"].push_back(e.tokens);
  }
  const auto samples = std::ranges::find(tested, kSampleSet, &TestSetResult::name);
  json["samples"] = samples_json(samples->examples, responses, data.samples);
  if (!ranks.first()) return;
  const ResponseQuality quality = measure_responses(responses, data.references);
  json["responses"] = {{"decode", "greedy"}, {"bleu", quality.bleu.value()}};
  json["responses"].update(quality_json(quality));
  progress("all", 1);  // the last moment to give up
  write_file(in(run.directory, "responses.jsonl"), responses_text(data.test, responses));
}

// ---- the description

Making<Settings, Data> making() {
  auto making = responders_making<Settings, Data, settings_of>();
  making.visit = visit_distracted_tests;
  making.names = variant_names(all_variants());
  making.load = load_data;
  making.format = 2;
  making.training = [](const Settings& s) {
    Json json = training_options(s.train);
    json.erase("preset");
    json["group"] = in_file(s.train.loop.optimizer.groups);
    json["vocab"] = s.train.model.vocab_size;
    return json;
  };
  making.earlier = [](const Settings&) {
    Json json = options_before(TrainSettings());
    json.update({{"attention-weight", 1}, {"device", "cpu"}, {"matmul", "f32"}});
    return json;
  };
  making.more = {{"test_seed", kTestSeed}};
  making.begin = [](const std::string& out, const Settings&, const Data& data) {
    const std::string samples = in(out, "samples.json");
    if (!std::filesystem::exists(samples))
      create_once(samples, describe_samples(data).dump(1) + "\n");
  };
  making.about_variant = [](const Settings&, const Data&, size_t variant) -> Json {
    const Variant& v = all_variants()[variant];
    return {{"variant", v.name.name},
            {"structure", v.structure.name},
            {"insert_prob", v.insert_prob},
            {"attention_loss", v.attention_loss}};
  };
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
                     .only = "\"static-ui*,*-p0.7\"",
                     .trains = Trains::kResponders},
                    making(), distraction_showing);
}

}  // namespace heed
