// Passages of dialogue: a context, and a response that was said, or another one in its place (Bruni
// and Fernández, "Adversarial Evaluation for Open-Domain Dialogue Generation", SIGDIAL 2017,
// section 2).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dialog/data/example.h"
#include "tensor/bytes.h"

namespace heed::discriminate {

using TokenIds = std::vector<int32_t>;

struct Passage {
  std::string id;                      // "<dialogue>#<turn>", the turn of the response, from 1
  std::string dialogue_id;             // given where the response is the dialogue's last turn
  int corpus = 0;                      // place in a list of corpora
  int conversation = 0;                // a number for all passages that share text, of all corpora
  std::vector<TokenIds> context = {};  // without <eou>, as the response
  TokenIds response = {};
  bool real = true;  // whether the response was said there

  bool operator==(const Passage&) const = default;
};

// Into bytes, for another process, and out of them.
void put(BytesOut& out, const Passage& passage);
void get(BytesIn& in, Passage& passage);

struct PassageOptions {
  int context = 2;                      // utterances
  int min_tokens = 3, max_tokens = 25;  // of each utterance and of the response

  void check() const;  // throws UsageError
};

// What a corpus gave, and what it did not.
struct PassageCounts {
  int64_t dialogues = 0, passages = 0;
  int64_t other_length =
      0;  // places of a response where an utterance has other than so many tokens
};

// Appends a passage for every run of `context` + 1 turns of a dialogue that have so many tokens
// each and none of which is marked as a distraction. Conversations (SplitBy::kConversation) are
// numbered on behind those that are there. Throws DataError where two dialogues have one id.
PassageCounts add_passages(std::vector<Passage>& passages, const std::vector<Dialogue>& dialogues,
                           const Vocabulary& vocabulary, const PassageOptions& options, int corpus);

// What of a passage a discriminator reads.
enum class Reads { kAll, kResponse, kContext };
// The input sequence u_1 <eou> u_2 <eou> <sos> r <eou>, or the part of it, in the form of an
// example's context: each <eou> closes an utterance, <sos> r is one.
Example sequence_of(const Passage& passage, Reads reads);

}  // namespace heed::discriminate
