#include "experiments/responders.h"

#include "dialog/respond/responses.h"
#include "dialog/respond/structures.h"
#include "dialog/respond/system.h"
#include "dialog/runs_of.h"
#include "dialog/text/word_vectors.h"

namespace heed {

ResponseData load_response_data(const std::string& directory, const TrainSettings& settings,
                                size_t limit, size_t test_limit) {
  ResponseData data;
  ExampleOptions bounds = settings.examples;
  data.train = load_train_data(directory, settings.vocabulary_options(), bounds, limit);
  bounds.conditions = data.train.conditions;
  TestData test = load_test_data(directory, data.train.vocabulary, bounds, test_limit);
  data.test = std::move(test.examples);
  data.conversations = std::move(test.conversations);
  data.test_fingerprint = test.fingerprint;
  for (const Example& e : data.test) {
    for (const auto& condition : e.conditions) {
      data.test_labels = fingerprint(condition, data.test_labels);
    }
  }
  data.references = human_responses(data.test, data.train.vocabulary);
  return data;
}

ResponseData DistractedTests::load() const {
  return load_response_data(data, train, limit, test_limit ? test_limit : limit);
}

void check_responder(TrainSettings settings, const TrainData& data) {
  take_data(settings, data);
  check_with_data(settings, data);
}

void check_with_data(const TrainSettings& settings, const TrainData& data) {
  check_training(settings, data);
  if (settings.word_vectors.empty()) return;
  check_word_vectors(settings.word_vectors, word_vector_width(settings.word_vectors),
                     settings.model);
}

bool train_responder(const PlannedRun& run, const std::string& directory, Device device,
                     TrainSettings settings, const TrainData& data, const TrainHooks& hooks) {
  take_data(settings, data);
  settings.loop.seed = run.seed;
  begin_on_first(*hooks.ranks, [&] { begin_run(directory, settings, data); });
  return train(directory, settings, data, device, hooks);
}

std::vector<PageFact> facts_of_responders(const Results& results, const std::string& more) {
  const std::string unit = results.setting("examples") == "all" ? "examples" : "dialogues";
  return {{"model", results.setting("layers") + " × " + results.setting("hidden"),
           "layers × size, vocabulary " + results.setting("vocabulary")},
          {"training " + unit, results.setting("train_examples"), results.epochs_text()},
          {"test " + unit, std::to_string(results.items()),
           "of " + results.clusters_text("conversations") + more}};
}

}  // namespace heed
