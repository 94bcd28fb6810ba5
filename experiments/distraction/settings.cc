#include "experiments/distraction/settings.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "dialog/data/conversations.h"
#include "dialog/respond/evaluate.h"
#include "dialog/respond/responses.h"
#include "dialog/text/tokenizer.h"
#include "experiments/engine/runs/folder_json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr size_t kSamples = 6;

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
std::vector<size_t> choose_samples(const ExperimentData& data) {
  std::vector<size_t> chosen;
  for (const bool short_ones : {true, false}) {
    for (size_t i = 0; i < data.test.size() && chosen.size() < kSamples; ++i) {
      if (is_short(data.test[i], data.train.vocabulary) == short_ones) chosen.push_back(i);
    }
  }
  return chosen;
}

Json describe_samples(const ExperimentData& data) {
  size_t words = 0;
  for (const Tokens& reference : data.references) words += reference.size();
  Json json = {
      {"test_set", kSampleSet},
      {"human",
       {{"distinct_1", distinct_n(data.references, 1)},
        {"distinct_2", distinct_n(data.references, 2)},
        {"mean_length", static_cast<double>(words) / static_cast<double>(data.references.size())},
        {"dialogues", data.references.size()}}},
      {"dialogues", Json::array()}};
  for (const Example& e : data.sample_texts) {
    Json context = Json::array();
    for (const Tokens& words : context_words(e, data.train.vocabulary)) {
      context.push_back(
          {{"text", detokenize(words)}, {"distraction", e.distraction[context.size()] != 0}});
    }
    json["dialogues"].push_back(
        {{"id", e.id},
         {"context", context},
         {"response", detokenize(response_words(e, data.train.vocabulary))}});
  }
  return json;
}

// For readers: the dialogues with all words, where the models see <unk>.
void choose_texts(const ExperimentSettings& s, ExperimentData& data) {
  const Vocabulary& vocabulary = data.train.vocabulary;
  data.samples = choose_samples(data);
  const Phrases phrases =
      encode_phrases(s.phrases, vocabulary, s.train.examples.max_utterance_tokens);
  const auto inserted =
      distracted(data.test, parse_test_set(kSampleSet), data.train.pool, phrases, kTestSeed);
  for (size_t i : data.samples) data.sample_texts.push_back(inserted[i]);
}

}  // namespace

void ExperimentData::share(const Neighbours& neighbours) {
  train.share(neighbours);
  neighbours.share_copy(test);
}

ExperimentData load_experiment_data(const ExperimentSettings& s) {
  ExperimentData data{
      load_response_data(s.data, s.train, s.limit, s.test_limit ? s.test_limit : s.limit), {}, {}};
  choose_texts(s, data);
  return data;
}

void save_samples(const std::string& out, const ExperimentData& data) {
  const std::string samples = (fs::path(out) / "samples.json").string();
  if (!fs::exists(samples)) create_once(samples, describe_samples(data).dump(1) + "\n");
}

}  // namespace heed
