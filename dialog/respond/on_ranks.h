// Scoring dialogues and responding to them on several ranks.
#pragma once

#include "dialog/respond/das.h"
#include "dialog/respond/responses.h"
#include "train/share_out.h"

namespace heed {

// As score(), taught_right() and respond() of `count` examples, on all ranks: each does its part of
// them (part_of_rank()) and gets the others' results, so that all have the same, which do not
// depend on how many ranks there are. `progress` is told of this rank's part as if it were the
// whole; where it throws StopValidation on one rank, it is thrown on all.
std::vector<DialogueScore> score_on_ranks(
    Ranks& ranks, Responder& model, const std::vector<Example>& part, size_t count,
    int64_t batch_size, const std::function<void(const ScoreProgress&)>& progress = {});
std::vector<int64_t> taught_right_on_ranks(Ranks& ranks, Responder& model,
                                           const std::vector<Example>& part, size_t count,
                                           int64_t batch_size);
std::vector<Tokens> respond_on_ranks(
    Ranks& ranks, Responder& model, const std::vector<Example>& part, size_t count,
    const Vocabulary& vocabulary, const DecodeOptions& options, int64_t batch_size,
    const std::function<void(const RespondProgress&)>& progress = {});

}  // namespace heed
