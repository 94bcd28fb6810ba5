// Scoring dialogues on several ranks.
#pragma once

#include "dialog/respond/das.h"
#include "train/ranks.h"

namespace heed {

// As score(), on all ranks: each scores every n-th example and gets the others' scores, so that all
// have the same, which do not depend on how many there are. `progress` is told of this rank's part
// as if it were the whole; where it throws StopValidation on one rank, it is thrown on all.
std::vector<DialogueScore> score_on_ranks(
    Ranks& ranks, Responder& model, const std::vector<Example>& examples, int64_t batch_size,
    const std::function<void(const ScoreProgress&)>& progress = {});

}  // namespace heed
