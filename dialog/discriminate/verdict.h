// A discriminator's verdicts on passages.
#pragma once

#include <functional>
#include <vector>

#include "dialog/discriminate/discriminator.h"

namespace heed::discriminate {

struct Verdict {
  double p_real = 0.5;
  double loss = 0;                     // -ln p of the truth, in nats
  std::vector<double> attention = {};  // a_t of the tokens of sequence_of(); their sum is 1
};

// For all passages, in order; the same for any batch size. `progress`, if given, is called after
// each batch with the number done. Throws UsageError for a batch size below 1.
using VerdictProgress = std::function<void(int64_t done)>;
std::vector<Verdict> verdicts_on(const Discriminator& model, const std::vector<Passage>& passages,
                                 int64_t batch_size, const VerdictProgress& progress = {});

}  // namespace heed::discriminate
