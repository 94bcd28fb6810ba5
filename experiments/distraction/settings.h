// What an experiment is made with, and the data that it is made on.
#pragma once

#include <string>
#include <vector>

#include "dialog/data/distraction.h"
#include "experiments/distraction/variant.h"
#include "experiments/responders.h"

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

struct ExperimentData : ResponseData {
  // With these the first rank measures; the others need not have them.
  std::vector<size_t> samples;        // test examples that the report shows
  std::vector<Example> sample_texts;  // the same with their distractions

  // Has what the first rank of the machine has of the training and the test examples.
  void share(const Neighbours& neighbours);
};

// Reads train, valid and test of the data directory.
ExperimentData load_experiment_data(const ExperimentSettings& settings);

// Writes samples.json, unless it is there.
void save_samples(const std::string& out, const ExperimentData& data);

}  // namespace heed
