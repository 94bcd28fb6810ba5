// Training a response model: what it learns from, and the task that the training loop runs.
#pragma once

#include <string>
#include <vector>

#include "dialog/data/distraction.h"
#include "dialog/respond/run.h"
#include "train/loop.h"
#include "train/neighbours.h"

namespace heed {

// What a training reads: the numbers of the words, not their text.
struct TrainData {
  Vocabulary vocabulary;
  PackedList<Example> train, valid;
  Pool pool;             // random distractions are drawn from here
  int64_t left_out = 0;  // dialogues without a response
  // With the values of the training dialogues, where the options had none.
  std::vector<Condition> conditions = {};
  int64_t generic_words = 0;  // ModelConfig::generic_words, of a vocabulary that was made here

  uint32_t fingerprint() const;
  // Has what the first rank of the machine has, the lists in memory that its ranks share.
  void share(const Neighbours& neighbours);
};
// Reads train and valid of a data directory; makes the vocabulary of the training dialogues unless
// one is given. `limit` dialogues of each part (0: all).
TrainData load_train_data(const std::string& directory, const VocabularyOptions& words,
                          const ExampleOptions& options, size_t limit = 0,
                          const Vocabulary* vocabulary = nullptr);

// What a model is tested on: the test part of a data directory.
struct TestData {
  std::vector<Example> examples;
  std::vector<int> conversations;  // of each example its conversation, from 0
  uint32_t fingerprint = 0;        // of the dialogues
};
// Of `limit` dialogues (0: all). Throws DataError where they make no example.
TestData load_test_data(const std::string& directory, const Vocabulary& vocabulary,
                        const ExampleOptions& options, size_t limit);

// Throws UsageError or DataError for what no training can be made of: to be asked before a run is
// begun.
void check_training(const TrainSettings& settings, const TrainData& data);

// Whether the attention loss has anything to act on: distractions that are inserted, or marked in
// the training examples. Else it is 0 whatever its weight.
bool has_distractions(const TrainSettings& settings, const TrainData& data);

// The settings with the tables that their structure learns from the data.
TrainSettings with_tables(TrainSettings settings, const TrainData& data);

// Begins a run with these settings in a directory that holds none. Throws DataError where it holds
// one with others.
void begin_run(const std::string& directory, const TrainSettings& settings, const TrainData& data);

// The task of the training loop: `model` learns to respond to the training examples, in every epoch
// with other distractions. It refers to the three, which must outlive it. The ranks share out the
// examples of a validation.
Task respond_task(Responder& model, const TrainSettings& settings, const TrainData& data,
                  Ranks& ranks = alone());

// Trains the model of a run (Xing & Gulla 2022, section 4.2) with the loop of train/loop.h, which
// says what is returned and thrown.
bool train(const std::string& run, const TrainSettings& settings, const TrainData& data,
           Device device, const TrainHooks& hooks = {});

}  // namespace heed
