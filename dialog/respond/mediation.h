// By which path a distraction does harm: through the attention, which mixes its rows into the
// context vector, or through the state that it leaves in the encoder (and in the integration LSTM),
// from which the decoder starts. One model reads each dialogue five times.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "dialog/respond/models/lstm.h"

namespace heed {

// The readings of a context, combined from the dialogue with its distractions and the same one
// without them:
//                 attention sees                             the decoder starts from the state of
//   kAsItIs       all rows                                   all utterances
//   kUnseen       the rows of original utterances (their     all utterances
//                 weights become a softmax of their own)
//   kUnread       all rows                                   the original utterances
//   kBoth         the rows of original utterances            the original utterances
//   kClean        all rows of the dialogue without           the same
//                 distractions
// The remaining difference between kBoth and kClean is the effect of distractions on the rows after
// them, as one LSTM reads all utterances.

constexpr std::array<std::string_view, 5> kReadings = {"as it is", "unseen", "unread", "both",
                                                       "clean"};

// The context without the memory rows of distractions in the history. The query, which is last,
// stays whatever it is flagged as, so each dialogue keeps a row.
LstmResponder::ReadContext without_distractions(const LstmResponder::ReadContext& context,
                                                const Memory& memory);

// -log p of each response under each reading, summed over its tokens (<eos> last).
struct MediatedScore {
  std::array<double, kReadings.size()> nll;
};

// examples[i] is clean[i] with inserted utterances that are flagged as distractions. The results
// are in the same order and do not depend on the batch size. Throws UsageError if the two lists
// differ in length or in a response.
std::vector<MediatedScore> mediate(LstmResponder& model, const std::vector<Example>& examples,
                                   const std::vector<Example>& clean, int64_t batch_size);

}  // namespace heed
