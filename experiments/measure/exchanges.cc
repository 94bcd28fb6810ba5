#include "experiments/measure/exchanges.h"

#include <algorithm>

namespace heed {

Exchanges exchange(Responder& model, const std::vector<Example>& examples,
                   const std::vector<DialogueScore>& scores, const Pool& pool, Exchanged which,
                   int64_t batch_size, uint64_t seed) {
  Exchanges result;
  std::vector<Example> exchanged = examples;
  for (size_t i = 0; i < exchanged.size(); ++i) {
    auto& context = exchanged[i].context;
    Rng rng(seed, "exchange", i);
    const size_t last = context.size() - 1;
    const size_t k = which == Exchanged::kQuery ? last : rng.below(std::max<size_t>(last, 1));
    context[k] = pool[rng.below(pool.size())].said.tokens;
    if (!scores[i].as_scores.empty()) result.looks.push_back(scores[i].as_scores[k]);
  }
  const auto after = score(model, exchanged, batch_size);
  for (size_t i = 0; i < after.size(); ++i) {
    double sum = 0;
    for (size_t t = 0; t < after[i].nll.size(); ++t) sum += after[i].nll[t] - scores[i].nll[t];
    result.added.push_back(sum);
  }
  return result;
}

}  // namespace heed
