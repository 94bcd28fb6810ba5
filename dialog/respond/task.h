// Training a response model: its data, and the task for the training loop.
#pragma once

#include <string>
#include <vector>

#include "dialog/data/distraction.h"
#include "dialog/respond/run.h"
#include "train/loop.h"
#include "train/neighbours.h"

namespace heed {

// The training data: word ids, not texts.
struct TrainData {
  Vocabulary vocabulary;
  PackedList<Example> train, valid;
  Pool pool;             // from which random distractions are drawn
  int64_t left_out = 0;  // dialogues without a response
  // With the values of the training dialogues if the options had none.
  std::vector<Condition> conditions = {};
  int64_t generic_words = 0;  // ModelConfig::generic_words, if the vocabulary was made here

  uint32_t fingerprint() const;
  // Takes over the data of the machine's first rank, with lists in memory that its ranks share.
  void share(const Neighbours& neighbours);
};
// Reads train and valid of a data directory, `limit` dialogues of each part (0: all). Makes the
// vocabulary from the training dialogues unless one is given.
TrainData load_train_data(const std::string& directory, const VocabularyOptions& words,
                          const ExampleOptions& options, size_t limit = 0,
                          const Vocabulary* vocabulary = nullptr);

// The examples of these indices; and the first ones, at most `most` (0: all).
std::vector<Example> chosen(const PackedList<Example>& examples,
                            const std::vector<int64_t>& indices);
std::vector<Example> first_of(const PackedList<Example>& examples, int64_t most);

// The test part of a data directory.
struct TestData {
  std::vector<Example> examples;
  std::vector<int> conversations;  // the conversation of each example, from 0
  uint32_t fingerprint = 0;        // of the dialogues
};
// Reads `limit` dialogues (0: all). Throws DataError if they make no example.
TestData load_test_data(const std::string& directory, const Vocabulary& vocabulary,
                        const ExampleOptions& options, size_t limit);

// Throws UsageError or DataError if training is impossible with these. Call it before a run is
// begun.
void check_training(const TrainSettings& settings, const TrainData& data);

// Whether the attention loss has anything to act on: distractions that are inserted, or marked in
// the training examples. Otherwise it is 0 whatever its weight.
bool has_distractions(const TrainSettings& settings, const TrainData& data);

// The settings with the tables that their structure computes from the data, unless they have some.
TrainSettings with_tables(TrainSettings settings, const TrainData& data);

// Begins a run with these settings in a directory that holds none. Throws DataError if it holds a
// run with other settings.
void begin_run(const std::string& directory, const TrainSettings& settings, const TrainData& data);

// The task for the training loop: `model` learns to respond to the training examples, with other
// distractions in every epoch. It refers to the three, which must outlive it. The ranks share the
// examples of a validation.
Task respond_task(Responder& model, const TrainSettings& settings, const TrainData& data,
                  Ranks& ranks = alone());

// Trains the model of a run (Xing & Gulla 2022, section 4.2) with the loop of train/loop.h, whose
// return value and exceptions it has.
bool train(const std::string& run, const TrainSettings& settings, const TrainData& data,
           Device device, const TrainHooks& hooks = {});

}  // namespace heed
