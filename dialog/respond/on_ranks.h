// Scoring dialogues and responding to them on several ranks.
#pragma once

#include "dialog/respond/das.h"
#include "dialog/respond/responses.h"
#include "train/share_out.h"

namespace heed {

// Like score(), taught_right() and respond() of `count` examples, on all ranks: each processes its
// part of them (part_of_rank()) and gets the others' results. All have the same results, which do
// not depend on the number of ranks. `progress` reports this rank's part as if it were the whole;
// if it throws StopValidation on one rank, all throw it.
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
