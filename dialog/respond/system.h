#pragma once

#include "dialog/respond/task.h"
#include "dialog/system.h"

namespace heed {

System respond_system();

// Throws UsageError for a given option that has no effect on such a model.
void refuse_without_effect(const TrainSettings& settings,
                           const std::function<bool(const std::string& option)>& given);

// Sets the values that follow from the given options and a preset's settings: the width of the word
// vectors, the smallest rate.
void complete_settings(TrainSettings& settings,
                       const std::function<bool(const std::string& option)>& given);

// Sets the values that come from the data: the size of the vocabulary, which of its words are
// sentiment words, the values of the labels, topics of a file, a checksum. Throws DataError for
// such a file.
void take_data(TrainSettings& settings, const TrainData& data);

// Adam changes a number by at most about the rate per step. With few dialogues in large batches
// that is too little: after the 38 steps of two epochs of 600 dialogues in batches of 32, a model
// has learned how frequent words are and nothing else. Therefore, unless --batch is given, an epoch
// of Adam has 100 steps if batches of at least 4 allow it.
int64_t batch_size_for(const TrainSettings& settings, size_t examples);

}  // namespace heed
