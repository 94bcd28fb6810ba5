// What experiments on models that write responses have in common.
#pragma once

#include <string>
#include <vector>

#include "dialog/respond/task.h"
#include "dialog/text/overlap.h"
#include "experiments/experiment.h"

namespace heed {

struct ResponseData {
  TrainData train;
  std::vector<Example> test;
  // With these the first rank measures; the others need not have them.
  std::vector<int> conversations;  // of each test example its conversation, from 0
  std::vector<Tokens> references;  // the human responses to them, as words
  uint32_t test_fingerprint = 0;

  // Has what the first rank of the machine trains on.
  void share(const Neighbours& neighbours) { train.share(neighbours); }
};
// Reads train, valid and test of a directory, each up to a limit; 0: all.
ResponseData load_response_data(const std::string& directory, const TrainSettings& settings,
                                size_t limit, size_t test_limit);

// Trains a run of these settings, but for what its seed and the data decide, or goes on with it.
bool train_responder(const PlannedRun& run, const std::string& directory, Device device,
                     TrainSettings settings, const TrainData& data, const TrainHooks& hooks);

}  // namespace heed
