// What a tracker learns from, and its task in the training loop.
#pragma once

#include "dialog/track/metrics.h"
#include "dialog/track/run.h"
#include "train/loop.h"

namespace heed::track {

struct TrainData {
  Reader reader;
  std::vector<Conversation> train, valid;
  uint32_t fingerprint = 0;
};

// The train and valid parts of a data directory. With `from`, a directory of a tracker, its words,
// acts and values; else new ones. Throws DataError, also where a value of the training dialogues is
// none of them.
TrainData load_train_data(const std::string& directory, const Settings& settings,
                          const std::string& from = {});
// The sizes of the features of --init, and what it reads; before the data.
void take_from_init(Settings& settings);
// The settings of the model that follow from the data.
void settle(Settings& settings, const TrainData& data);

constexpr const char *kTrainJoint = "train_joint", *kValidJoint = "valid_joint",
                     *kValidSet = "valid_set", *kValidChange = "valid_change";

// The model and the data must outlive it.
Task tracker_task(Tracker& model, const Settings& settings, const TrainData& data);
// Trains, or goes on; returns what the loop returns.
bool train(const std::string& run, const Settings& settings, const TrainData& data, Device device,
           const TrainHooks& hooks);

}  // namespace heed::track
