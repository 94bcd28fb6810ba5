// Distractions: utterances from elsewhere, inserted into the history of an example, never after the
// query (the last utterance of the context). Everything is a function of the given Rng, so an Rng
// keyed by (seed, epoch, example) makes insertion independent of order and threads.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dialog/data/packed_list.h"
#include "tensor/random.h"

namespace heed {

// The utterances from which random distractions are drawn.
struct PoolUtterance {
  std::string dialogue_id;
  Utterance said;
};
void each_member(auto& bytes, PoolUtterance& utterance) {
  bytes(utterance.dialogue_id, utterance.said.tokens, utterance.said.unknown);
}
using Pool = PackedList<PoolUtterance>;

// All turns of the (training) dialogues that have a token, cut to max_tokens words (0: whole).
Pool make_pool(const std::vector<Dialogue>& dialogues, const Vocabulary& vocabulary,
               int max_tokens = 0);

// Uniform over the utterances of other dialogues. Throws DataError if the pool holds (almost)
// nothing but the own one.
PoolUtterance draw_foreign(const Pool& pool, const std::string& own_dialogue, Rng& rng);

// Inserts and flags two utterances of other dialogues, each with probability p. The place of each
// is uniform over the places before the query at the time of its insertion.
// Throws as draw_foreign(), and UsageError unless 0 <= p <= 1.
Example insert_random(Example example, const Pool& pool, double p, Rng& rng);

// A placebo: flags up to two different utterances of the example's own history, each with
// probability p, and inserts nothing. Throws UsageError unless 0 <= p <= 1.
Example flag_own(Example example, double p, Rng& rng);

// Sets of utterances that are inserted together.
struct PhraseText {
  std::vector<std::string> frequent = {"why should i help you", "i have my right"};
  std::vector<std::string> rare = {"would you have lunch ?", "i should have lunch"};
};
struct Phrases {
  std::vector<Utterance> frequent, rare;
};
// Phrases are cut to max_tokens words (0: whole), like the utterances around them.
Phrases encode_phrases(const PhraseText& text, const Vocabulary& vocabulary, int max_tokens = 0);

// The insertions into the dialogues of a test set:
//   none             nothing
//   random:P         as insert_random with probability P
//   frequent:PLACE   all frequent phrases, adjacent and in order, at the beginning (before the
//   rare:PLACE       first utterance), in the middle (after half of the history, rounded down) or
//                    at the end (directly before the query); rare: the rare phrases
struct TestSet {
  enum class Kind { kNone, kRandom, kFrequent, kRare };
  enum class Place { kBegin, kMiddle, kEnd };

  Kind kind = Kind::kNone;
  Place place = Place::kBegin;  // of frequent and rare
  double p = 0;                 // of random
  // The numbers that are drawn depend on it: "random:1.0", though it was parsed from "random:1".
  std::string name = "none";
};

// The nine distracting test sets of the experiment.
constexpr std::array<std::string_view, 9> kTestSets = {
    "random:0.5",   "random:0.7", "random:1.0",  "frequent:begin", "frequent:middle",
    "frequent:end", "rare:begin", "rare:middle", "rare:end"};

// Throws UsageError, with the valid names, if there is no such test set.
TestSet parse_test_set(std::string_view name);

Example apply(const TestSet& set, Example example, const Pool& pool, const Phrases& phrases,
              Rng& rng);

}  // namespace heed
