// What an experiment is made with, and the data that it is made on.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dialog/data/distraction.h"
#include "dialog/respond/task.h"
#include "dialog/text/overlap.h"
#include "experiments/distraction/variant.h"

namespace heed {

constexpr int kExperimentFormat = 2;         // of the files in its folder
constexpr char kSampleSet[] = "random:1.0";  // the test set of the sample dialogues

struct ExperimentSettings {
  std::string data;     // directory
  TrainSettings train;  // of every run; structure, insertion, attention loss and seed are its own
  size_t limit = 0, test_limit = 0;  // dialogues of each part, of the test part; 0: all
  int64_t max_response = 50;         // words of a generated response
  PhraseText phrases;
};

struct ExperimentData {
  TrainData train;
  std::vector<Example> test;
  // With these the first rank measures; the others need not have them.
  std::vector<int> conversations;     // of each test example its conversation, from 0
  std::vector<Tokens> references;     // the human responses to the test examples, as words
  std::vector<size_t> samples;        // test examples that the report shows
  std::vector<Example> sample_texts;  // the same with their distractions
  uint32_t test_fingerprint = 0;

  // Has what the first rank of the machine has of the training and the test examples.
  void share(const Neighbours& neighbours);
};

// Reads train, valid and test of the data directory.
ExperimentData load_experiment_data(const ExperimentSettings& settings);

// The settings of one run.
TrainSettings run_settings(const ExperimentSettings& settings, const ExperimentData& data,
                           const PlannedRun& run);

// Writes samples.json, unless it is there.
void save_samples(const std::string& out, const ExperimentData& data);

}  // namespace heed
