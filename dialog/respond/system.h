#pragma once

#include "dialog/respond/task.h"
#include "dialog/system.h"

namespace heed {

System respond_system();

// What follows from the options that were given with a preset's settings: the width of the word
// vectors, the smallest rate.
void complete_settings(TrainSettings& settings,
                       const std::function<bool(const std::string& option)>& given);

// What the settings have of the data that they were read with: the size of the vocabulary, which of
// its words are sentiment words, the values of the labels, a checksum.
void take_data(TrainSettings& settings, const TrainData& data);

// Adam moves a number by no more than the rate in a step. With few dialogues in large batches that
// is nowhere: after the 38 steps of two epochs of 600 dialogues in batches of 32, a model has
// learned how frequent words are and nothing else. So, unless --batch is given, an epoch of Adam
// has 100 steps where batches of 4 can give them.
int64_t batch_size_for(const TrainSettings& settings, size_t examples);

}  // namespace heed
