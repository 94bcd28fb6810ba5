// How the files of a run look in JSON. Only what reads and writes them looks in here.
#pragma once

#include <nlohmann/json.hpp>

#include "dialog/run.h"

namespace heed {

// What stands in the files: the fields, under their own names.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExampleOptions, all_positions, max_turns, max_utterance_tokens,
                                   max_response_tokens)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HalvingSchedule::Options, rate, min_rate, min_improvement,
                                   patience, max_halvings, halve_after)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HalvingSchedule::State, rate, best, epoch, bad_epochs, halvings,
                                   finished)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ParameterGroup, name, rate, weight_decay)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OptimizerSettings, name, weight_decay, groups, warm_up)
// Runs of before there was a choice of optimisers have none in their settings: SGD, the default.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TrainSettings, examples, insert_prob,
                                                attention_weight, batch_size, optimizer, max_norm,
                                                max_epochs, seed, data_fingerprint, schedule)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EpochLog, epoch, loss, train_perplexity, valid_perplexity, rate,
                                   grad_norm, steps, tokens)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrainState, epoch, step, loss_sum, nll_sum, norm_sum, tokens,
                                   predicted, schedule, log)

}  // namespace heed
