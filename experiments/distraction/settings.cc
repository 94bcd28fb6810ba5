#include "experiments/distraction/settings.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "dialog/data/conversations.h"
#include "dialog/respond/evaluate.h"
#include "dialog/text/tokenizer.h"
#include "experiments/engine/runs/folder_json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr size_t kSamples = 6;

// A vocabulary of all words of the training and test dialogues and of the phrases.
Vocabulary all_words(const std::vector<Dialogue>& train, const std::vector<Dialogue>& test,
                     const PhraseText& phrases) {
  Dialogue inserted;
  for (const auto* texts : {&phrases.frequent, &phrases.rare}) {
    for (const std::string& text : *texts) inserted.turns.push_back({"", text, false});
  }
  TokenCounts counts = count_tokens(train);
  for (const auto& more : {count_tokens(test), count_tokens({inserted})}) {
    for (const auto& [token, count] : more) counts[token] += count;
  }
  return Vocabulary::build(counts, {.max_size = 10000000, .min_count = 1});
}

// A dialogue that can be taken in at a glance.
bool is_short(const Example& e) {
  if (e.context.size() < 3 || e.context.size() > 5) return false;
  if (e.response.size() < 4 || e.response.size() > 25) return false;
  for (const auto& utterance : e.context) {
    if (utterance.size() < 3 || utterance.size() > 25) return false;
  }
  return true;
}

// The first short dialogues; if there are too few, the first ones.
std::vector<size_t> choose_samples(const std::vector<Example>& test) {
  std::vector<size_t> chosen;
  for (const bool short_ones : {true, false}) {
    for (size_t i = 0; i < test.size() && chosen.size() < kSamples; ++i) {
      if (is_short(test[i]) == short_ones) chosen.push_back(i);
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
    for (size_t k = 0; k < e.context.size(); ++k) {
      context.push_back({{"text", detokenize(data.words.words(e.context[k]))},
                         {"distraction", e.distraction[k] != 0}});
    }
    json["dialogues"].push_back({{"id", e.id},
                                 {"context", context},
                                 {"response", detokenize(data.words.words(e.response))}});
  }
  return json;
}

// What people read: the dialogues in all their words, where the models see <unk>.
void read_texts(const std::vector<Dialogue>& train, const std::vector<Dialogue>& test,
                const ExperimentSettings& s, ExperimentData& data) {
  data.words = all_words(train, test, s.phrases);
  const auto texts = make_examples(test, data.words, s.train.examples);
  for (const Example& e : texts) data.references.push_back(data.words.words(e.response));
  data.samples = choose_samples(texts);
  const int max_tokens = s.train.examples.max_utterance_tokens;
  const Pool pool = make_pool(train, data.words, max_tokens);
  const auto inserted = distracted(texts, parse_test_set(kSampleSet), pool,
                                   encode_phrases(s.phrases, data.words, max_tokens), kTestSeed);
  for (size_t i : data.samples) data.sample_texts.push_back(inserted[i]);
}

}  // namespace

void ExperimentData::share(const Neighbours& neighbours) {
  train.share(neighbours);
  neighbours.share_copy(test);
}

ExperimentData load_experiment_data(const ExperimentSettings& s) {
  ExperimentData data;
  const ExampleOptions& bounds = s.train.examples;
  data.train = load_train_data(s.data, s.train.vocabulary_options(), bounds, s.limit);
  const std::string path = find_part(s.data, "test");
  const auto test = read_dialogues(path, s.test_limit ? s.test_limit : s.limit);
  data.test_fingerprint = fingerprint(test);
  data.test = make_examples(test, data.train.vocabulary, bounds);
  if (data.test.empty()) throw DataError(path + ": no dialogue with two utterances of context");
  data.conversations = conversations(test, data.test);
  read_texts(read_dialogues(find_part(s.data, "train"), s.limit), test, s, data);
  return data;
}

TrainSettings run_settings(const ExperimentSettings& settings, const ExperimentData& data,
                           const PlannedRun& run) {
  TrainSettings s = settings.train;
  const Variant& variant = all_variants()[run.variant];
  s.model.structure = variant.structure;
  s.model.vocab_size = data.train.vocabulary.size();
  s.insert_prob = variant.insert_prob;
  s.attention_weight = variant.attention_loss ? settings.train.attention_weight : 0;
  s.loop.seed = run.seed;
  s.data_fingerprint = data.train.fingerprint();
  s.check();
  return s;
}

void save_samples(const std::string& out, const ExperimentData& data) {
  const std::string samples = (fs::path(out) / "samples.json").string();
  if (!fs::exists(samples)) create_once(samples, describe_samples(data).dump(1) + "\n");
}

}  // namespace heed
