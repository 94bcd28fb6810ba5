// The common part of experiments on models that write responses.
#pragma once

#include <string>
#include <vector>

#include "dialog/respond/task.h"
#include "dialog/text/overlap.h"
#include "experiments/experiment.h"

namespace heed {

constexpr int64_t kMeasuringBatch = 32;  // examples at a time: changes no result

struct ResponseData {
  TrainData train;
  std::vector<Example> test;
  // The first rank measures with these; the others need not have them.
  std::vector<int> conversations;  // the conversation of each test example, from 0
  std::vector<Tokens> references;  // the human responses to them, as words
  uint32_t test_fingerprint = 0;
  uint32_t test_labels = 0;  // a checksum of their conditions

  // Takes over the training data of the machine's first rank.
  void share(const Neighbours& neighbours) { train.share(neighbours); }
};
// The settings of experiments with tests on distractions.
struct DistractedTests {
  std::string data;                  // directory
  TrainSettings train;               // of every run, but for what its variant and its seed decide
  size_t limit = 0, test_limit = 0;  // dialogues of each part, of the test part; 0: all
  int64_t max_response = 50;         // words of a generated response
  PhraseText phrases;

  Phrases phrases_in(const Vocabulary& vocabulary) const {
    return encode_phrases(phrases, vocabulary, train.examples.max_utterance_tokens);
  }
  ResponseData load() const;
};

// Reads train, valid and test of a directory, each up to a limit; 0: all.
ResponseData load_response_data(const std::string& directory, const TrainSettings& settings,
                                size_t limit, size_t test_limit);

// Throw UsageError or DataError if no run can be trained with these settings: without those that
// its seed and the data decide, and with those of the data.
void check_responder(TrainSettings settings, const TrainData& data);
void check_with_data(const TrainSettings& settings, const TrainData& data);
// Trains or resumes a run with the former.
bool train_responder(const PlannedRun& run, const std::string& directory, Device device,
                     TrainSettings settings, const TrainData& data, const TrainHooks& hooks);

// The sizes of their models, and of the training and the test part; `more` is said of the latter.
std::vector<PageFact> facts_of_responders(const Results& results, const std::string& more = "");

}  // namespace heed
