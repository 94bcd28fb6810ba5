#include <numeric>
#include <set>

#include "dialog/probe/nex_cv.h"
#include "dialog/probe/representations.h"
#include "dialog/respond/responses.h"
#include "dialog/system.h"
#include "experiments/generators/evaluation_json.h"

namespace heed::generators {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kConditions[] = {"sentiment", "domain"};  // ModelConfig::conditions()
constexpr int64_t kBagWidth = 512;

// Texts for a classifier, and which value each has; -1: none, or several.
struct Labelled {
  std::vector<Example> texts = {};
  std::vector<int32_t> values = {};

  void add(const std::vector<int32_t>& words, int32_t value) {
    texts.emplace_back().context = {words};
    values.push_back(value);
  }
  void add_said(const Example& example, size_t kind) {
    const std::vector<int32_t>& its = example.conditions.at(kind);
    add(example.response, its.size() == 1 ? its[0] : -1);
  }
};

// Places of training texts: each value as often as the most frequent one, starting with the first.
std::vector<size_t> evenly(const std::vector<int32_t>& values, size_t count) {
  std::vector<std::vector<size_t>> of_value(count);
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= 0) of_value[values[i]].push_back(i);
  }
  size_t most = 0;
  for (const auto& of : of_value) most = std::max(most, of.size());
  std::vector<size_t> places;
  for (const auto& of : of_value) {
    for (size_t i = 0; i < most && !of.empty(); ++i) places.push_back(of[i % of.size()]);
  }
  return places;
}

void put_told(Json& json, Responder& model, const Vocabulary& vocabulary, const Run& run,
              size_t kind) {
  const Condition condition = model.config().conditions().at(kind);
  const size_t values = condition.values.size(), n = run.data.test.size();
  Labelled all;
  for (const Example& e : run.data.train.train) all.add_said(e, kind);
  const std::vector<size_t> train = evenly(all.values, values);
  const std::string name = kConditions[kind];
  std::set<int32_t> different;
  for (const size_t i : train) different.insert(all.values[i]);
  if (different.size() < 2) {  // as of data without the label: there is nothing to tell
    for (const char* number : {".all", ".above_chance"})
      put_mean(json, name + number, Json::array());
    at(json, name + ".people") = Json();
    return;
  }
  std::vector<size_t> tested(n * (1 + values));
  std::iota(tested.begin(), tested.end(), all.texts.size());
  for (const Example& e : run.data.test) all.add_said(e, kind);
  DecodeOptions decode = run.settings.paper->decode;
  for (size_t v = 0; v < values; ++v) {
    decode.wanted = {condition.label + "=" + condition.values[v]};
    for (const Tokens& text : respond(model, run.data.test, vocabulary, decode, kMeasuringBatch)) {
      all.add(vocabulary.encode(text), static_cast<int32_t>(v));
    }
  }
  const auto guesses =
      probe::classify(probe::bag_of_words(all.texts, kBagWidth, kTestSeed), all.values, train,
                      tested, static_cast<int64_t>(values), /*standardise=*/false);

  std::vector<double> right(n), people(values), said(values);
  std::vector<std::vector<double>> told(values, std::vector<double>(values));
  for (size_t i = 0; i < guesses.size(); ++i) {
    const int32_t value = all.values[tested[i]], guess = guesses[i].label;
    if (value < 0) continue;
    const bool is_right = value == guess;
    if (i < n) {
      people[value] += is_right, ++said[value];
    } else {
      told[value][guess] += 1 / static_cast<double>(n);
      right[i % n] += is_right / static_cast<double>(values);
    }
  }
  put_mean(json, name + ".all", right);
  // Answers that ignore the requested value are right in one of `values` cases.
  for (double& share : right) share -= 1 / static_cast<double>(values);
  put_mean(json, name + ".above_chance", right);
  double shares = 0, kinds = 0;
  for (size_t v = 0; v < values; ++v) {
    if (said[v] > 0) shares += people[v] / said[v], ++kinds;
    for (size_t g = 0; g < values; ++g) {
      at(json, name + "." + condition.values[v] + "." + condition.values[g]) = told[v][g];
    }
  }
  at(json, name + ".people") = kinds > 0 ? Json(shares / kinds) : Json();
}

}  // namespace

std::vector<std::string> added_items() {
  return {"distances.ss_last",
          "distances.ss_before",
          "distances.rei",
          "told.sentiment.all",
          "told.sentiment.above_chance",
          "told.domain.all",
          "told.domain.above_chance",
          "mmi.bleu_2",
          "mmi.rouge_2",
          "mmi.mean_length",
          "mmi.repetition",
          "mmi.pmi_coherence"};
}

void measure_distances(const Run& run, const OnMeasuring& progress, Json& json) {
  progress("distances", 0.7);
  const LoadedModel loaded = load_model(run.directory);
  move(*loaded.model, run.device);
  const Settings& s = run.settings;
  const auto& test = run.data.test;
  const auto answers =
      respond(*loaded.model, test, loaded.vocabulary, s.paper->decode, kMeasuringBatch);
  const Echoes echoes = echoes_of(read_dialogues(find_part(s.data, "train"), s.limit));
  std::vector<double> rei;
  for (const Tokens& answer : answers) rei.push_back(echoes.of(answer));
  put_mean(json, "rei", rei);
  if (s.distance.empty()) return;
  const LoadedSystem encoder = open_model(s.distance, Capability::kEncode, run.device);
  for (const size_t back : {0, 1}) {
    put_mean(
        json, back == 0 ? "ss_last" : "ss_before",
        distances(*encoder.encoder, test, answers, loaded.vocabulary, back, read_dull(s.dull)));
  }
}

void measure_told(const Run& run, const OnMeasuring& progress, Json& json) {
  const LoadedModel loaded = load_model(run.directory);
  move(*loaded.model, run.device);
  for (const size_t kind : {0, 1}) {
    progress(kConditions[kind], kind == 0 ? 0.7 : 0.8);
    put_told(json, *loaded.model, loaded.vocabulary, run, kind);
  }
}

}  // namespace heed::generators
