// What an utterance of the context is worth to a model that writes, measured without its attention.
#pragma once

#include <vector>

#include "dialog/data/distraction.h"
#include "dialog/respond/evaluate.h"

namespace heed {

enum class Exchanged {
  kQuery,    // the last utterance
  kHistory,  // one before it, drawn; the last one if there is none
};
inline const char* name_of(Exchanged which) {
  return which == Exchanged::kQuery ? "query" : "history";
}

struct Exchanges {
  std::vector<double> added;  // for each example
  std::vector<double> looks;  // likewise; empty if the model has no attention on utterances
};
// The increase of -log p of each response, in nats and summed over its tokens, when the utterance
// is exchanged for one of the pool; and the attention score that the utterance has. `scores` are
// those of the examples as they are. The draws depend on `seed` and on an example's place.
Exchanges exchange(Responder& model, const std::vector<Example>& examples,
                   const std::vector<DialogueScore>& scores, const Pool& pool, Exchanged which,
                   int64_t batch_size, uint64_t seed = kTestSeed);

}  // namespace heed
