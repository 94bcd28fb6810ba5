// Which way a distraction does its harm: through the attention, which mixes its rows into the
// context vector, or through the state that it leaves in the encoder (and in the integration LSTM),
// with which the decoder starts. One model reads each dialogue five times.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "dialog/respond/models/lstm.h"

namespace heed {

// What stands before a response, put together of the dialogue with its distractions and of the same
// one without them:
//                 attention looks at                         the decoder starts with the state of
//   kAsItIs       all rows                                   all utterances
//   kUnseen       the rows that are no distractions' (their  all utterances
//                 weights become a softmax of their own)
//   kUnread       all rows                                   the utterances without distractions
//   kBoth         the rows that are no distractions'         the utterances without distractions
//   kClean        all rows of the dialogue without           the same
//                 distractions
// What is left between kBoth and kClean is what distractions changed in the rows behind them, as
// one LSTM reads all utterances.

constexpr std::array<std::string_view, 5> kReadings = {"as it is", "unseen", "unread", "both",
                                                       "clean"};

// The context without the memory rows of distractions. The query, last, is none, so each dialogue
// keeps a row.
LstmResponder::ReadContext without_distractions(const LstmResponder::ReadContext& context,
                                                const Memory& memory);

// -log p of each response under each reading, summed over its tokens (<eos> last).
struct MediatedScore {
  std::array<double, kReadings.size()> nll;
};

// examples[i] is clean[i] with utterances inserted that are flagged as distractions. The results
// are in their order and do not depend on the batch size. Throws UsageError if the two differ in
// number or in a response.
std::vector<MediatedScore> mediate(LstmResponder& model, const std::vector<Example>& examples,
                                   const std::vector<Example>& clean, int64_t batch_size);

}  // namespace heed
