// What an utterance gets and costs at every place of a history, by its source: a placebo for the
// DAS ratio. A distraction differs from the utterances around it in its place, in that it is new,
// and in its content; an utterance of the dialogue's own differs in the first two only.
#pragma once

#include <array>
#include <vector>

#include "dialog/data/distraction.h"
#include "dialog/respond/evaluate.h"

namespace heed {

// Where the inserted utterance comes from:
//   own         the dialogue: the first utterance of its context, which is taken out of it before
//   duplicate   the rest of the history, drawn: it is there twice then
//   nearest     another dialogue, most like the context in its words (cosine of TF-IDF)
//   matched     another dialogue, most like the own one in its numbers of words and of <unk>
//   foreign     another dialogue, drawn
constexpr std::array<const char*, 5> kSources = {"own", "duplicate", "nearest", "matched",
                                                 "foreign"};
constexpr size_t kOwnSource = 0, kForeignSource = kSources.size() - 1;

// Of one example, at each place of its history from the beginning to directly before the query.
struct AtPlaces {
  size_t example = 0;              // its index
  std::vector<double> added = {};  // to -log p of the response, in nats, over all its tokens
  std::vector<double> looks = {};  // attention scores of the utterance (Eq. 7)
  std::vector<double> history_looks = {};  // and their means over the utterances of the history
};

// The least history that is left when the own utterance is taken out.
constexpr size_t kLeastHistory = 2;

// Without its first utterance, each example with kLeastHistory utterances before the query is read
// as it is, and with an utterance of each source at every place. The nearest and the matched one
// are chosen among `candidates` draws from the pool. The draws depend on `seed` and on an example's
// index. Throws UsageError if the model has no attention on utterances; DataError as
// insert_random().
std::array<std::vector<AtPlaces>, kSources.size()> insert_everywhere(
    Responder& model, const std::vector<Example>& examples, const Pool& pool, int64_t batch_size,
    size_t candidates = 20000, uint64_t seed = kTestSeed);

}  // namespace heed
